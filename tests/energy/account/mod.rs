//! Accounts of small worlds: each column against what is known of it, and all of them together.

mod columns;
mod ledger;
mod whole;
