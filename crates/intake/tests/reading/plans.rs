//! What the head of a file decides, what it leaves open, and what a plan never takes for something else.

use crate::import::{Imported, import};

/// Returns what a look at the file comes to: what is said of it, the instants, and the number of rejected records.
fn looked_at(options: &str, text: impl AsRef<[u8]>) -> Imported {
    import(&format!("responses --guess{options}"), text)
}

/// Returns the options that a file is refused with, or what is said of how it is read.
fn answer(text: &str) -> String {
    let imported = looked_at("", text);
    match imported.error {
        Some(error) => error,
        None => imported.told.join("\n"),
    }
}

#[test]
fn a_column_is_chosen_by_its_name_and_then_by_what_it_holds() {
    for (text, expected) in [
        (
            "Account,Contract End Date,NPS,Date\na,2027-01-31,9,2026-03-01\n",
            "created from \"Date\"",
        ),
        (
            "Respondent Phone,Timestamp,NPS\n4155550123,2026-03-01 10:00,9\n",
            "created from \"Timestamp\"",
        ),
        (
            "Record No,Date,NPS\n45012,2026-03-01,9\n",
            "created from \"Date\"",
        ),
        (
            "Response Time (ms),Timestamp,NPS\n45012,2026-03-01,9\n",
            "created from \"Timestamp\"",
        ),
        (
            "Health Score,How likely are you to recommend us?,Date\n2,9,2026-03-01\n",
            "rating from \"How likely are you to recommend us?\" (not \"Health Score\")",
        ),
        (
            "Considering your overall satisfaction how likely are you to recommend us?,Date\n9,2026-03-01\n",
            "rating from \"Considering",
        ),
        (
            "NPS,NPS response time,Date\n9,2 days,2026-03-01\n",
            "rating from \"NPS\", created",
        ),
        (
            "Submit Date,Time to complete,NPS\n2026-03-01,3:25,9\n2026-03-02,45:10,3\n",
            "created from \"Submit Date\"",
        ),
        (
            "Start Date,Submit Date,NPS\n2026-03-01,2026-03-01,9\n2026-03-02,,\n",
            "created from \"Start Date\" (not \"Submit Date\")",
        ),
        (
            "Zeit,Date,Time,NPS\nx,2026-03-01,10:42 AM,9\n",
            "created from \"Date+Time\" as %Y-%m-%d %I:%M %p",
        ),
        // Nobody can tell.
        (
            "Your score,Our score,Date\n9,3,2026-03-01\n",
            "try --map 'rating=Your score'",
        ),
        (
            "Promoters,Passives,Detractors,Date\n9,3,1,2026-03-01\n",
            "file: its columns are counts",
        ),
        (
            "Date,NPS\n2026-03-01,Promoter\n",
            "\"NPS\" has \"Promoter\", which is not a whole number",
        ),
        (
            "Jour,NPS\n1 mars 2026,9\n2 mars 2026,3\n",
            "\"Jour\" has \"1 mars 2026\", which is not in a form of dates that is known",
        ),
        (
            "created,rating\n2 février 2026,9\n3 février 2026,3\n",
            "--date-format \"…\"",
        ),
        ("NPS,Customer\n9,a\n", "read: rating from \"NPS\", no dates"),
    ] {
        let found = answer(text);
        assert!(found.contains(expected), "{text}: {found}");
    }
}

#[test]
fn the_header_is_found_and_no_record_is_taken_for_it() {
    for (text, records) in [
        // Comments have words that are names, too.
        (
            "Customer,NPS,Day,Comment\nAnn,9,2026-03-01,fine\nBob,2,2026-03-02,Great support at any time\n",
            2,
        ),
        (
            "Report of NPS\nGenerated,2026-03-05\n\nid,created,rating,plan\n1,2026-03-01,9,pro\n2,2026-03-02,3,pro\n",
            2,
        ),
        ("Survey export\rAcme\rcreated,rating\r2026-11-01,9\r", 1),
        ("sep=;\rcreated;rating\r2026-11-01;9\r", 1),
        // The first records are pending.
        (
            "id,created,rating,traits.seats\nr1,2026-11-01,,\nr2,2026-11-02,,\nr3,2026-11-03,9,5\nr4,2026-11-04,3,5\n",
            4,
        ),
        ("email,rating,seats,floor\nann,,,\nbob,9,3,1\n", 2),
        (
            "created,rating,a,b\n,ISO,0-10,n\n2026-03-01,9,3,3\n2026-03-02,3,3,4\n",
            2,
        ),
        // Rows that end with a delimiter, and the header once more.
        (
            "created,rating\n2026-03-01,9,\ncreated,rating\n2026-03-02,3,\n",
            2,
        ),
        (
            "created;nps;What, if anything, would you recommend, when, and at what time, score or rating?\n\
             2026-03-01;9;none\n2026-03-02;3;more, please\n",
            2,
        ),
    ] {
        let imported = looked_at("", text);
        let found = imported.responses.len();
        assert_eq!(
            (found, imported.error),
            (records, None),
            "{text}: {:?}",
            imported.rejects
        );
    }
    let shifted = "created,rating,traits.plan,traits.seats\n2026-03-01,9,pro,3\n2026-03-02,3,bad, really,free,\n";
    assert_eq!(looked_at("", shifted).rejects.len(), 1);
}

#[test]
fn the_order_of_day_and_month_is_decided_by_the_column_alone() {
    for (dates, expected) in [
        (["25/12/2025", "03/04/2025"], "dates as %d/%m/%Y"),
        (["12/25/2025", "03/04/2025"], "dates as %m/%d/%Y"),
        (
            ["03/04/2026", "05/04/2026"],
            "--date-format %m/%d/%Y or --date-format %d/%m/%Y",
        ),
        (
            ["03.04.2026", "05.04.2026"],
            "--date-format %m.%d.%Y --date-format %m/%d/%Y or --date-format %d.%m.%Y",
        ),
        (
            ["26-03-01", "26-03-14"],
            "--date-format %d-%m-%y --date-format %m/%d/%Y or --date-format %y-%m-%d",
        ),
        (["2 Nov 2026", "14 November 2026"], "dates as %d %B %Y"),
        (
            ["Nov 2, 2026 9:05 PM", "Nov 14, 2026 9:05 AM"],
            "dates as %B %d, %Y %I:%M %p",
        ),
        (
            [
                "Mon Mar 02 2026 22:00:00 GMT+0100 (CET)",
                "Tue Mar 03 2026 22:00:00 GMT+1",
            ],
            "dates as %A %B %d %Y %H:%M:%S %z",
        ),
        (
            [
                "3/13/2026, 10:00:00\u{202f}PM",
                "3/14/2026, 10:00:00\u{202f}AM",
            ],
            "%m/%d/%Y, %I:%M:%S %p",
        ),
        (["1772359200", "1772445600"], "dates as unix"),
        (["1772359200000", "1772445600000"], "dates as unix-ms"),
    ] {
        let rows = dates
            .map(|date| format!("\"{date}\",9,12/25/2020\n"))
            .concat();
        let found = answer(&format!("created,rating,createdAt\n{rows}"));
        assert!(found.contains(expected), "{dates:?}: {found}");
    }
}

#[test]
fn words_for_nothing_are_those_among_numbers_and_dates() {
    let text = "created,rating,userId,traits.country,traits.seats\n2026-03-01,NULL,NULL,NA,3\n2026-03-02,9,u,DE,-\n";
    let imported = looked_at("", text);
    assert_eq!(imported.told[0], "read: \"-\", \"NULL\" as nothing");
    assert!(imported.responses[0].contains(r#""country":"NA""#));
    assert_eq!(imported.users.len(), 1);
    for text in [
        "created,rating\n2026-03-01,NULL\n2026-03-02,NULL\n",
        "Date,Time,rating\n01/14/2026,10:42,9\n01/15/2026,NULL,9\n",
        r#"[{"created":"2026-03-01","rating":9},{"created":"2026-03-02","rating":"NA"}]"#,
    ] {
        assert_eq!(looked_at("", text).whole().displays(), 2, "{text}");
    }
}

#[test]
fn ratings_may_have_labels_if_all_have_and_an_option_names_them() {
    let table = |cells: &str| {
        let rows = cells
            .split('|')
            .map(|cell| format!("2026-03-01,\"{cell}\"\n"));
        format!("created,rating\n{}", rows.collect::<String>())
    };
    for cells in [
        "10 - Extremely likely|9|0 (not at all)",
        "9/10|3 / 10",
        "9,0|10,0",
        "Extremely likely - 10|Unlikely (3)",
    ] {
        let whole = looked_at("", table(cells)).whole();
        assert_eq!(
            whole.told[0].split(',').next(),
            Some("read: ratings with labels")
        );
        let refused = import("responses", table(cells)).error.unwrap();
        assert!(refused.ends_with("try --map rating=rating"), "{refused}");
    }
    for cells in ["9|2 days", "9|-1|3", "9|8.5", "9|9 of them"] {
        assert!(!looked_at("", table(cells)).rejects.is_empty(), "{cells}");
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

#[test]
fn users_without_a_user_id_are_refused_with_what_may_be_one() {
    for (text, expected) in [
        (
            "user_id,email,plan_id\n7,a@b.cd,1\n8,e@b.cd,1\n",
            "--map userId=user_id",
        ),
        ("id,Email Address\n7,a@b.cd\n8,e@b.cd\n", "--map userId=id"),
        (
            "Customer ID,User Key\n7,a\n8,b\n",
            "--map 'userId=Customer ID' or --map 'userId=User Key'",
        ),
        // Two users of one id, and one of none.
        ("id,email\n7,a@b.cd\n7,e@b.cd\n", "--map userId=email"),
        ("id,email\n7,a@b.cd\n,a@b.cd\n", "--map userId=\"…\""),
        (
            r#"[{"uid":"7","email":"a@b.cd"},{"uid":"8"}]"#,
            "--map userId=uid",
        ),
        (
            r#"{"users":[{"contact":{"id":"7"}}]}"#,
            "--map userId=contact.id",
        ),
    ] {
        let error = import("users", text).error.unwrap_or_default();
        let (reason, options) = error.split_once("; try ").unwrap_or_default();
        assert!(reason.contains("userId"), "{text}{error}");
        assert_eq!(options, expected, "{text}");
    }
}
