//! Flow over terrain: receivers, depressions, pools.
