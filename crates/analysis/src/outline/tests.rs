use super::*;
use ndarray::{Array2, arr2};
use thalweg_grid::{Purpose, StageKey};

/// Twice the area of a ring in cells, by the shoelace formula with y northwards.
fn twice_area(ring: &Ring) -> i64 {
    let xy = |[row, col]: Corner| (col as i64, -(row as i64));
    ring.windows(2)
        .map(|pair| {
            let ((x, y), (next_x, next_y)) = (xy(pair[0]), xy(pair[1]));
            x * next_y - next_x * y
        })
        .sum()
}

/// Area of an outline less its holes, cells; shells count counter-clockwise, holes clockwise.
fn cells(outline: &Outline) -> i64 {
    assert!(twice_area(&outline.shell) > 0, "{outline:?}");
    let holes = outline.holes.iter().map(|hole| {
        assert!(twice_area(hole) < 0, "{outline:?}");
        twice_area(hole)
    });
    (twice_area(&outline.shell) + holes.sum::<i64>()) / 2
}

#[test]
fn a_cell_is_a_square() {
    let found = outlines(arr2(&[[0, 0, 0], [0, 7, 0]]).view());
    let shell = vec![[1, 1], [2, 1], [2, 2], [1, 2], [1, 1]];
    let mut expected = Outline {
        shell,
        holes: vec![],
    };
    let mut ring = found[&7][0].shell.clone();
    assert_eq!(ring.first(), ring.last());
    // Any corner may be the first.
    ring.pop();
    expected.shell.pop();
    let at = ring.iter().position(|at| *at == expected.shell[0]).unwrap();
    ring.rotate_left(at);
    assert_eq!(ring, expected.shell);
    assert_eq!((found.len(), found[&7].len()), (1, 1));
}

#[test]
fn islands_are_holes_and_lakes_on_them_are_parts() {
    let ids = arr2(&[
        [3, 3, 3, 3, 3],
        [3, 0, 0, 0, 3],
        [3, 0, 3, 0, 3],
        [3, 0, 0, 0, 3],
        [3, 3, 3, 3, 3],
    ]);
    let found = &outlines(ids.view())[&3];
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].holes.len(), 1);
    assert_eq!(found[0].holes[0].len(), 5);
    assert_eq!((cells(&found[0]), cells(&found[1])), (16, 1));
}

#[test]
fn cells_that_meet_at_a_corner_are_two_parts() {
    let found = outlines(arr2(&[[1, 0], [0, 1]]).view());
    assert_eq!(found[&1].len(), 2);
    assert_eq!(found[&1].iter().map(cells).sum::<i64>(), 2);
}

/// The island touches the shore at a corner: the shell passes that corner once, the hole once.
#[test]
fn an_island_that_touches_the_shore_at_a_corner_is_a_hole() {
    let ids = arr2(&[[0, 2, 2], [2, 0, 2], [2, 2, 2]]);
    let found = &outlines(ids.view())[&2];
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].holes.len(), 1);
    assert_eq!(cells(&found[0]), 7);
}

/// Two islands in a chain from shore to shore that leaves the lake in one part only around them.
#[test]
fn islands_that_touch_one_another_are_two_holes() {
    let ids = arr2(&[[4, 4, 4, 4], [4, 0, 4, 4], [4, 4, 0, 4], [4, 4, 4, 4]]);
    let found = &outlines(ids.view())[&4];
    assert_eq!(found[0].holes.len(), 2);
    assert_eq!(cells(&found[0]), 14);
}

/// On random maps, which are full of cells that meet at corners: areas are those of the cells, no ring passes a corner
/// twice, every side between different ids is in exactly one ring of each.
#[test]
fn random_maps_are_covered_by_simple_rings() {
    let key = StageKey::new(5, "outlines");
    for case in 0..60 {
        let shape = (1 + case % 9, 1 + case % 13);
        let ids = Array2::from_shape_fn(shape, |(row, col)| {
            (key.bits(Purpose::Noise, case as u64, (row * 100 + col) as u64) % 3) as u32
        });
        let found = outlines(ids.view());
        let mut sides = 0;
        for (id, outlines) in &found {
            let area: i64 = outlines.iter().map(cells).sum();
            assert_eq!(area as usize, ids.iter().filter(|at| *at == id).count());
            for ring in outlines
                .iter()
                .flat_map(|one| one.holes.iter().chain([&one.shell]))
            {
                let mut corners = ring[1..].to_vec();
                corners.sort_unstable();
                corners.dedup();
                assert_eq!(corners.len(), ring.len() - 1, "{ids:?}");
                for pair in ring.windows(2) {
                    sides += pair[0][0].abs_diff(pair[1][0]) + pair[0][1].abs_diff(pair[1][1]);
                }
            }
        }
        assert_eq!(sides, sides_of(&ids), "{ids:?}");
    }
}

/// Sides of cells with an id whose other side has another.
fn sides_of(ids: &Array2<u32>) -> usize {
    let at = |row: isize, col: isize| {
        let cell = (usize::try_from(row).ok()?, usize::try_from(col).ok()?);
        ids.get(cell).copied()
    };
    ids.indexed_iter()
        .filter(|(_, id)| **id != 0)
        .map(|((row, col), id)| {
            let (row, col) = (row as isize, col as isize);
            [(-1, 0), (1, 0), (0, -1), (0, 1)]
                .iter()
                .filter(|(down, east)| at(row + down, col + east) != Some(*id))
                .count()
        })
        .sum()
}
