//! Spreadsheets whose cells are far apart, or that are damaged.

use std::io::{Cursor, Write as _};
use std::time::{Duration, Instant};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::import::{Imported, import};

const WORKBOOK: &str = r#"<workbook xmlns:r="r"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
const PACKAGE: &str = r#"<Relationships><Relationship Id="rId1"
    Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    Target="xl/workbook.xml"/></Relationships>"#;
const RELATIONS: &str = r#"<Relationships><Relationship Id="rId1"
    Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"
    Target="worksheets/sheet1.xml"/></Relationships>"#;
const STYLES: &str = r#"<styleSheet><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>"#;
const STRINGS: &str = r#"<sst uniqueCount="2"><si><t>created</t></si><si><t>rating</t></si></sst>"#;

/// A header, a response, and room for other cells.
const SHEET: &str = r#"<worksheet><dimension ref="A1:C3"/><sheetData>
    <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="str"><v>Twice</v></c></row>
    <row r="2"><c r="A2" s="1"><v>46023.5</v></c><c r="B2"><v>9</v></c>
    <c r="C2"><f t="shared" ref="C2:C3" si="0">B2*2</f><v>18</v></c></row><!-- more --></sheetData></worksheet>"#;

fn archive<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        let options = SimpleFileOptions::default();
        archive.start_file(name, options).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn workbook(sheet: &[u8], strings: &[u8]) -> Vec<u8> {
    archive([
        ("_rels/.rels", PACKAGE.as_bytes()),
        ("xl/workbook.xml", WORKBOOK.as_bytes()),
        ("xl/_rels/workbook.xml.rels", RELATIONS.as_bytes()),
        ("xl/styles.xml", STYLES.as_bytes()),
        ("xl/sharedStrings.xml", strings),
        ("xl/worksheets/sheet1.xml", sheet),
    ])
}

/// Imports the sheet with this text in the place of its comment.
fn with_cells(cells: &str) -> Imported {
    let sheet = SHEET.replace("<!-- more -->", cells);
    import("responses", workbook(sheet.as_bytes(), STRINGS.as_bytes()))
}

#[test]
fn cells_that_stand_far_apart_take_no_more_memory_than_others() {
    let cell =
        |at: &str, text: &str| format!(r#"<row><c r="{at}" t="str"><v>{text}</v></c></row>"#);
    let far = "its cells reach from row 1 to 1048576, and 16384 columns wide: at most 4000 columns";
    let huge = "it is a damaged spreadsheet";
    let none = Ok::<_, &str>([1, 0]);
    for (cells, expected) in [
        (String::new(), none),
        // People leave a blank behind by accident.
        (cell("CV1048576", " "), none),
        (cell("CV1048576", ""), none),
        (cell("CV1048576", "x"), Ok([1, 1])),
        (cell("XFD1048576", "x"), Err(far)),
        (cell("ZZZZZZZ4294967295", "x"), Err(huge)),
        (cell("A10000000", "x"), Err(huge)),
        (
            cell("A3", "x") + &cell("A2", "x"),
            Err("row 2 is behind a later one"),
        ),
        (
            (4..9000).map(|n| cell(&format!("EWU{n}"), "x")).collect(),
            Err("20000000 cells"),
        ),
    ] {
        let imported = with_cells(&cells);
        let what: String = cells.chars().take(60).collect();
        let found = [imported.displays(), imported.rejects.len()];
        match (expected, imported.error) {
            (Ok(expected), None) => assert_eq!(found, expected, "{what}"),
            (Err(expected), Some(error)) => assert!(error.contains(expected), "{error}"),
            (expected, error) => panic!("{what}: {expected:?}, {error:?}"),
        }
    }
    let strings = STRINGS.replace("\"2\"", "\"99999999999\"");
    let reversed = ["C3:A1", "A10:A9", "AA1:Z1"].map(|range| SHEET.replace("A1:C3", range));
    let mut damaged = vec![workbook(SHEET.as_bytes(), strings.as_bytes())];
    damaged.extend(reversed.map(|sheet| workbook(sheet.as_bytes(), STRINGS.as_bytes())));
    for workbook in damaged {
        let imported = import("responses", workbook);
        assert!(imported.error.unwrap().contains(huge));
    }
}

/// A spreadsheet whose sheets have a name, a state, and rows of texts.
fn workbook_of(sheets: &[(&str, &str, &[&[&str]])]) -> Vec<u8> {
    let mut files = vec![("_rels/.rels".to_owned(), PACKAGE.to_owned())];
    let mut listed = String::new();
    let mut related = String::new();
    for (n, (name, state, rows)) in sheets.iter().enumerate() {
        let entry = format!(r#"<sheet name="{name}" sheetId="{n}" state="{state}" r:id="s{n}"/>"#);
        listed.push_str(&entry);
        let sheet = r#"<Relationship Id="s1"
            Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"
            Target="worksheets/1.xml"/>"#;
        related += &sheet
            .replace("s1", &format!("s{n}"))
            .replace("1.xml", &format!("{n}.xml"));
        let mut cells = String::new();
        for (row, texts) in (1..).zip(*rows) {
            cells.push_str("<row>");
            for (column, text) in ('A'..).zip(*texts) {
                let cell = format!(r#"<c r="{column}{row}" t="str"><v>{text}</v></c>"#);
                cells.push_str(&cell);
            }
            cells += "</row>";
        }
        let sheet = format!("<worksheet><sheetData>{cells}</sheetData></worksheet>");
        files.push((format!("xl/worksheets/{n}.xml"), sheet));
    }
    let workbook = format!(r#"<workbook xmlns:r="r"><sheets>{listed}</sheets></workbook>"#);
    files.push(("xl/workbook.xml".to_owned(), workbook));
    let related = format!("<Relationships>{related}</Relationships>");
    files.push(("xl/_rels/workbook.xml.rels".to_owned(), related));
    let files = files.iter().map(|(name, text)| (&**name, text.as_bytes()));
    archive(files)
}

#[test]
fn the_one_visible_sheet_with_ratings_and_dates_is_read_and_others_that_are_named() {
    let cover: &[&[&str]] = &[&["NPS of 2026"], &["by the score of each quarter"]];
    let summary: &[&[&str]] = &[&["Score", "Responses"], &["3", "40"]];
    let [first, second, third]: [&[&[&str]]; 3] = [
        &[&["created", "rating"], &["2026-01-01", "9"]],
        &[
            &["Made by hand"],
            &["created", "rating"],
            &["2026-02-01", "3"],
        ],
        &[&["rating", "created"], &["9", "2026-03-01"]],
    ];
    let book = workbook_of(&[
        ("Cover", "visible", cover),
        ("Summary", "visible", summary),
        ("January", "visible", first),
        ("February", "hidden", second),
        ("March", "veryHidden", third),
    ]);
    for (options, expected) in [
        ("", Ok(1)),
        (" --sheet january", Ok(1)),
        (" --sheet JANUARY --sheet February", Ok(2)),
        (
            " --sheet January --sheet March",
            Err("have different columns"),
        ),
        (" --sheet *", Err("have different columns")),
        (" --sheet April", Err("it has no sheet \"April\"")),
    ] {
        let imported = import(&format!("responses{options}"), &book);
        let found = imported
            .error
            .as_deref()
            .map_or(Ok(imported.displays()), Err);
        match (expected, found) {
            (Err(expected), Err(error)) => assert!(error.contains(expected), "{options}: {error}"),
            (expected, found) => assert_eq!(expected, found, "{options}"),
        }
    }
}

#[test]
fn sheets_of_different_scales_are_no_table_together() {
    type Row = &'static [&'static str];
    const TEN: Row = &["2026-01-01", "10"];
    const FIVE: Row = &["2026-01-01", "5"];
    let sheet = |row: Row| -> Vec<Row> {
        let header: Row = &["created", "rating"];
        [vec![header], vec![row; 20]].concat()
    };
    let error = |names: [&str; 2], rows: [Row; 2]| {
        let [one, other] = names;
        let [first, second] = rows.map(sheet);
        let book = workbook_of(&[(one, "visible", &*first), (other, "visible", &*second)]);
        import("responses --sheet *", book).error
    };
    for (names, rows, is_refused) in [
        (["A", "B"], [TEN, FIVE], true),
        (["NPS", "CSAT"], [TEN, TEN], true),
        (["A", "B"], [TEN, TEN], false),
        (["A", "B"], [FIVE, FIVE], false),
    ] {
        let found = error(names, rows).is_some_and(|error| error.contains("different scales"));
        assert_eq!(found, is_refused, "{names:?} {rows:?}");
    }
}

/// The most memory that this process has had, in kilobytes.
#[cfg(target_os = "linux")]
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.unwrap().parse().unwrap()
}

#[test]
fn seven_hundred_damaged_workbooks_end_neither_the_program_nor_the_patience() {
    const PARTS: &str = "XFD1048576|ZZZ9999999|A0|4294967295|18446744073709551615|-1|1e308|NaN|</row>|<row>|\
                         <c t=\"d\"><v>2026</v></c>|&#0;|\"|A1:";
    let new_parts: Vec<_> = PARTS.split('|').collect();
    let mut seed = 7_u64;
    let mut below = |limit: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % limit
    };
    let mut imported = 0;
    for n in 0..700 {
        let mut parts = [SHEET, STRINGS].map(|part| part.as_bytes().to_vec());
        for _ in 0..=below(4) {
            let part = &mut parts[usize::from(below(5) == 0)];
            let at = below(part.len());
            let end = (at + below(12)).min(part.len());
            let new = new_parts[below(new_parts.len())].as_bytes();
            let new = if below(4) == 0 {
                &part[end / 2..end].to_vec()
            } else {
                new
            };
            part.splice(at..end, new.iter().copied());
        }
        let started = Instant::now();
        let result = import("responses", workbook(&parts[0], &parts[1]));
        imported += usize::from(result.error.is_none());
        let took = started.elapsed();
        assert!(took < Duration::from_secs(10), "{n} took {took:?}");
    }
    assert!((20..680).contains(&imported), "{imported}");
    #[cfg(target_os = "linux")]
    assert!(peak_memory() < 1 << 20, "{} KB", peak_memory());
}
