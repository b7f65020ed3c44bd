//! What a run leaves behind: PLY frames, tables, and the record of the run.
