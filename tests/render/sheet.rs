use bdem_pictures::render::{ColourBy, ColourScale, Legend, Picture, Sheet, SheetGrid, Size};

use super::{crumbs, look_at};

const LEGEND: Legend = Legend { colour: ColourBy::Plain, scale: ColourScale { low: 0.0, high: 1.0 } };

#[test]
fn frames_are_spread_evenly() {
    let grid = SheetGrid { columns: 4, rows: 2 };
    assert_eq!(grid.choose(8), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(grid.choose(3), [0, 1, 2]);
    assert_eq!(grid.choose(15), [0, 2, 4, 6, 8, 10, 12, 14]);
    assert_eq!(grid.choose(1), [0]);
    assert!(grid.choose(0).is_empty());
    // of many the last, which shows the outcome
    assert_eq!(SheetGrid { columns: 1, rows: 1 }.choose(9), [8]);
}

#[test]
fn pictures_stand_in_rows() {
    let size = Size { width: 334, height: 284 };
    let mut sheet = Sheet::new(size, SheetGrid { columns: 2, rows: 2 }, LEGEND).expect("room enough");
    let tile = sheet.tile();
    assert_eq!(tile.width, 165);
    let frame = crumbs();
    let picture = look_at(&frame).picture(&frame);
    (0..3).for_each(|_| sheet.push(&picture));
    let whole = sheet.finish();
    assert_eq!(whole.size(), size);
    let empty = picture.pixel(0, 0).expect("in the picture");
    let shown = |x: u32, y: u32| {
        let at = |i: u32, of: &Picture, dx, dy| of.pixel(i % 160 + dx, i / 160 + dy);
        (0..160 * 115).all(|i| at(i, &whole, x * (tile.width + 4), y * (tile.height + 4)) == at(i, &picture, 0, 0))
    };
    assert!(shown(0, 0) && shown(1, 0) && shown(0, 1));
    let last = (tile.width + 4..size.width).flat_map(|x| (tile.height + 4..2 * tile.height + 4).map(move |y| (x, y)));
    assert!(last.into_iter().all(|(x, y)| whole.pixel(x, y) == Some(empty)));
    // white gutters
    assert!((0..tile.height).all(|y| (0..4).all(|k| whole.pixel(tile.width + k, y) == Some([255; 3]))));
    assert!((0..size.width).all(|x| (0..4).all(|k| whole.pixel(x, tile.height + k) == Some([255; 3]))));
}

#[test]
fn sheets_of_too_many_are_refused() {
    let size = Size { width: 640, height: 360 };
    let error = Sheet::new(size, SheetGrid { columns: 20, rows: 2 }, LEGEND).expect_err("too many");
    assert!(error.contains("--size"), "{error}");
}

#[test]
fn wrong_sizes_and_grids_are_named() {
    for wrong in ["", "640", "640x", "axb", "63x64", "64x9000", "640x360x2", "-640x360"] {
        assert!(wrong.parse::<Size>().expect_err(wrong).contains("1280x720"));
    }
    for wrong in ["", "4", "0x2", "4x0", "4x33", "4 by 2"] {
        assert!(wrong.parse::<SheetGrid>().expect_err(wrong).contains("4x2"));
    }
    assert_eq!("640x360".parse(), Ok(Size { width: 640, height: 360 }));
    assert_eq!("4x2".parse(), Ok(SheetGrid { columns: 4, rows: 2 }));
}
