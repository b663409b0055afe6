//! The texts of rejected records can be corrected and imported.

use crate::import::{import, import_files};

#[test]
fn a_corrected_record_without_an_id_is_a_record_of_its_own() {
    for (options, all, rejects, corrections) in [
        (
            "responses",
            "created,rating,traits.note\n2020-01-01,12,\"two\nlines\"\n2020-01-02,9,fine\n2020-01-03,1",
            "id,created,rating,traits.note\nID,2020-01-01,12,\"two\nlines\"\nID,2020-01-03,1",
            [(",12,", ",10,"), ("03,1", "03,1,\n")],
        ),
        (
            "responses",
            "created,rating\n2020-01-01,9\n2020-01-01,99\n2020-01-01,99\n",
            "id,created,rating\nID,2020-01-01,99\nID,2020-01-01,99\n",
            [(",99", ",9"), ("\t", "")],
        ),
        (
            "responses --map id=Number",
            "rating\tcreated\tNumber\n9\t2020-01-01\t\n99\t2020-01-01\t\n99\t2020-01-01\t\"\"\n",
            "rating\tcreated\tNumber\n99\t2020-01-01\tID\n99\t2020-01-01\t\"ID\"\n",
            [("99\t", "9\t"), ("\r", "")],
        ),
        (
            "responses",
            "{\"created\":\"2020-01-01\",\"rating\":9}\n{\"created\":\"2020-01-01\",\"rating\":99}\n\
             {\"rating\":99,\"id\": null,\"created\":\"2020-01-01\"}\n{\"rating\":9}\n",
            "{\"id\":\"ID\",\"created\":\"2020-01-01\",\"rating\":99}\n\
             {\"rating\":99,\"id\": \"ID\",\"created\":\"2020-01-01\"}\n{\"id\":\"ID\",\"rating\":9}\n",
            [
                ("g\":9}", "g\":9,\"created\":\"2020-01-01\"}"),
                (":99", ":9"),
            ],
        ),
        (
            "responses",
            "created,rating,traits.a,id\r\n2020-01-01,9,,\r\n2020-01-01,99\r\n",
            "created,rating,traits.a,id\n2020-01-01,99,,ID\n",
            [("99", "9"), ("\t", "")],
        ),
        (
            "responses",
            "{\"created\":\"2020-01-01\",\"rating\":9}\n{\"created\":\"2020-01-01\",\"rating\":9,\"rating\":9}\n\
             {\"id\":null,\"created\":\"2020-01-01\",\"rating\":9,\"rating\":9}\n",
            "{\"id\":\"ID\",\"created\":\"2020-01-01\",\"rating\":9,\"rating\":9}\n\
             {\"id\":\"ID\",\"created\":\"2020-01-01\",\"rating\":9,\"rating\":9}\n",
            [(",\"rating\":9,", ","), ("\t", "")],
        ),
        // An empty last column of the header is kept.
        (
            "responses",
            "id\tcreated\trating\t\r\nr0\t2020-01-01\t9\tx\r\nr1\t2020-01-01\t99\tx\r\n",
            "id\tcreated\trating\t\nr1\t2020-01-01\t99\tx\n",
            [("99", "9"), ("\n\n", "")],
        ),
    ] {
        let imported = import(options, all);
        assert_eq!(imported.rejected(), rejects);
        let mut rejected = String::from_utf8(imported.rejected.clone()).unwrap();
        for (wrong, right) in corrections {
            rejected = rejected.replace(wrong, right);
        }
        let corrected = import(options, &rejected).whole();
        let count = imported.rejects.len();
        assert_eq!(corrected.responses.len(), count, "{rejected}");
        let both = [("all", all.as_bytes()), ("corrected", rejected.as_bytes())];
        let displays = import_files(options, &both).displays();
        assert_eq!(displays, 1 + count, "{rejected}");
    }
}

#[test]
fn a_rejected_record_keeps_its_encoding_and_what_precedes_the_table() {
    let text = "id;created;rating;traits.city\nr1;2026-11-01;9;Köln\nr2;2026-11-02;99;Möln\n";
    let latin = text
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect::<Vec<_>>();
    let wide = |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let marked = format!("\u{feff}{text}");
        marked.encode_utf16().flat_map(bytes).collect()
    };
    for (options, content) in [
        (" --encoding windows-1252", latin),
        ("", wide(u16::to_le_bytes)),
        ("", wide(u16::to_be_bytes)),
        ("", format!("sep=;\r\n{text}").into_bytes()),
        (" --skip-lines 1", format!("Title\n{text}").into_bytes()),
    ] {
        let imported = import(&format!("responses{options}"), &content);
        assert_eq!(
            (imported.rejects.len(), imported.responses.len()),
            (1, 1),
            "{options}"
        );
        let again = import(&format!("responses{options}"), &imported.rejected);
        assert_eq!((again.rejects.len(), again.error), (1, None), "{options}");
        assert_eq!(again.rejected, imported.rejected);
    }
    // A row that may be cut off is still that.
    let cut = import(
        "responses",
        "id,created,rating,why\nr1,2026-11-01,9,ok\nr2,2026-11-02,1",
    );
    assert_eq!(import("responses", cut.rejected).rejects.len(), 1);
}
