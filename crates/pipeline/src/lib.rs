//! Pipeline files: YAML specification, checked plan, run.
