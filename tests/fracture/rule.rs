use bdem_core::fracture::BondLoad;
use bdem_core::geometry::Vec3;
use bdem_core::model::{AxialStress, Bond};
use serde_json::Value;

use crate::common::golden::{list, load, number};
use crate::common::system::material;

/// The bond of one row of the table.
fn bond_of(row: &Value) -> Bond {
    let r0 = number(row, "r0");
    let mut bond = Bond::new(0, [0, 1], Vec3::x() * (2.0 * r0), [r0; 2], [1.0; 2], &material(1e7, 4e6, 1000.0));
    bond.strength = [number(row, "sigma_c"), number(row, "tau_c")];
    bond
}

fn load_of(row: &Value) -> BondLoad {
    let [f_n, f_s, m_b, m_t] = ["F_n", "F_s", "M_b", "M_t"].map(|key| number(row, key));
    BondLoad { f_n, f_s, m_b, m_t }
}

/// The table has rows a millionth and less off the limit, so stresses must be right to rounding.
#[test]
fn golden_fracture_rule() {
    let file = load("fracture");
    let rows = list(&file, "table");
    assert!(!rows.is_empty());
    for row in rows {
        let (bond, load) = (bond_of(row), load_of(row));
        let (sigma, tau) = (load.sigma(&bond, AxialStress::Magnitude), load.tau(&bond));
        assert!((sigma / number(row, "sigma") - 1.0).abs() < 1e-14, "{row}");
        assert!((tau / number(row, "tau") - 1.0).abs() < 1e-14, "{row}");
        let breaks = row["broken"].as_bool().expect("yes or no");
        assert_eq!(load.breaks(&bond, AxialStress::Magnitude), breaks, "{row}");
        assert_eq!(load.breaks(&bond, AxialStress::Tension), breaks, "in tension both rules are the same: {row}");
    }
}

#[test]
fn golden_fracture_rule_in_compression() {
    for row in list(&load("fracture"), "table") {
        let bond = bond_of(row);
        let pulled = load_of(row);
        let pushed = BondLoad { f_n: -pulled.f_n, ..pulled };
        assert_eq!(pushed.sigma(&bond, AxialStress::Magnitude), pulled.sigma(&bond, AxialStress::Magnitude));
        assert_eq!(pushed.breaks(&bond, AxialStress::Magnitude), pulled.breaks(&bond, AxialStress::Magnitude));

        let relief = pulled.sigma(&bond, AxialStress::Tension) - pushed.sigma(&bond, AxialStress::Tension);
        let want = 2.0 * pulled.f_n / bond.area();
        assert!(
            (relief - want).abs() <= 1e-12 * number(row, "sigma"),
            "pressure relieves the bond by {relief}, of {want}"
        );
        assert_eq!(pushed.tau(&bond), pulled.tau(&bond));
    }
}
