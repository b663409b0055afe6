//! The forms of parameters, and what their values depend on (contract, sections 1, 3 and 4). `filters.rs` has
//! those of filters.

use crate::support::{Operation, app_of, ask, check, check_statistics, elements, empty_app};

#[tokio::test]
async fn both_operations_know_a_project_and_a_format_and_refuse_what_they_do_not_define() {
    let longest = "p".repeat(64);
    let table = format!(
        "
        ?project={longest} | 403 forbidden project
        ?project={longest}p | invalid project
        ?project= | missing project
        ?project=&project=p | duplicate project
        ?project={{a.b a%20b a%23b %C3%A9 a/b demo%00}} | invalid project
        ? | missing project
        ?project=p&{{project=p %70roject=x}} | duplicate project
        format={{JSON xml json+}} | invalid format | must be json
        format=&format=json | duplicate format
        campaign= | unknown campaign
        nonsense=1&nonsense=2 | unknown nonsense"
    );
    for operation in Operation::ALL {
        check(&empty_app(), operation, &table).await;
        let of = async |query: &str| ask(&empty_app(), operation, query).await;
        let period = match operation {
            Operation::Users => "",
            Operation::Statistics => "endDate=2026-01-01",
        };
        let (with, without) = (of(&format!("{period}&format=json")).await, of(period).await);
        assert_eq!((with.status.as_u16(), with.body), (200, without.body));
    }
    let table = "
        =1 | unknown
        Project=1 | unknown Project
        userid=1 | unknown userid
        startDate={ 1} | unknown startDate
        endDate=1 | unknown endDate
        filters=1 | unknown filters
        offset=1 | unknown offset
        projects=1 | unknown projects
        limit%00=1 | unknown limit\0
        filter=a=eq:x | unknown filter
        filter=a=eq:x&filter=b=eq:x | unknown filter
        limit={1 1000} | none
        limit=&limit=2 | duplicate limit
        limit={0 1001 -1 %2B1 1.0 ten 65537 99999999999999999999 %D9%A1} | invalid limit
        userId=%FF | invalid userId
        userId= | invalid userId | leave it out to list all users
        userId=&limit=2 | invalid userId
        {cursor= limit=2&cursor=} | invalid cursor | cursor must not be empty: leave it out for the first page
    ";
    check(&empty_app(), Operation::Users, table).await;
    let longest = "%C3%BC".repeat(512);
    let table = [
        format!("userId={longest} | none"),
        format!("userId={longest}x | invalid userId"),
        format!("userId={} | invalid userId", "x".repeat(1025)),
    ];
    check(&empty_app(), Operation::Users, &table.join("\n")).await;
    let table = "
        startdate=1 | unknown startdate
        userId=1 | unknown userId
        limit=1 | unknown limit
        cursor=1 | unknown cursor
        Filter=1 | unknown Filter
        filters=1 | unknown filters
        startDate=%E2%82 | invalid startDate
        st%FFart=1 | unknown st\u{FFFD}art
        timezone=UTC&timezone=UTC | duplicate timezone
        interval=day&interval=week | duplicate interval
    ";
    check_statistics(&empty_app(), table).await;
}

#[tokio::test]
async fn each_date_is_a_timestamp_and_its_offset_may_have_a_raw_plus() {
    // The crate `model` has the table of all forms.
    let record = ("2026-01-31T08:30:00.000Z", serde_json::json!({}));
    let table = "
        endDate=2026-02-01&startDate=2026-01-31T{08:30 08:30:00.0009Z 10:30+02:00 10:30%2B0200} | 1
        endDate=2026-02-01&startDate=2026-01-31T{08:30:00.001 10:30:01+02:00} | 0
        startDate=2026-01-31&endDate=2026-01-31T{08:30:00.001 10:30:01+02:00} | 1
        startDate=2026-01-31&endDate=2026-01-31T{08:30 10:30+0200} | 0
        startDate={yesterday 2026-02-30 0000-01-01 10000-01-01} | invalid startDate
        endDate={yesterday 2026-02-30 0000-01-01 10000-01-01} | invalid endDate
        compare=2026-01-01/{ yesterday 2026-02-30 0000-01-01 10000-01-01} | invalid compare
        startDate=2026-01-01T00:00:00.001Z&endDate=2026-01-01 | invalid startDate
    ";
    check_statistics(&app_of(&[record]), table).await;
}

#[tokio::test]
async fn dates_are_read_as_public_clients_write_them_and_other_forms_are_refused_with_one_that_is_not()
 {
    // All mean 2026-09-01T08:30:00.000Z; the record is a millisecond before.
    let record = ("2026-09-01T08:29:59.999Z", serde_json::json!({}));
    let other = "such as 2026-09-01 or 2026-09-01T08:30:00Z";
    let table = format!(
        "
        startDate=2026-09-01&endDate=2026-09-01{{T08:30:00Z T08:30:00UTC T08:30:00+UTC T08:30Z}} | 1
        startDate=2026-09-01&endDate=2026-09-01+{{08:30:00 08:30:00.0 08:30:00Z 08:30:00+UTC 08:30:00GMT}} | 1
        startDate=2026-09-01&endDate=2026-09-01+10:30:00{{%2B0200 +%2B02:00 ++0200 +02:00 +0200}} | 1
        startDate=20260901&endDate={{20260901T083000Z 20260901T0830 20260901+083000 20260901T103000%2B0200}} | 1
        startDate=1788220800&endDate={{1788251400 1788251400000}} | 1
        endDate=20260902&startDate={{2026-09-01+08:30:00+UTC 1788251400 1788251400000 20260901T083000Z}} | 0
        startDate=2026-09-01&endDate=2026-09-01+07:30:00+-0100&timezone=Asia/Tokyo | 1
        startDate=20260901&endDate=2026-09-01+17:30:00&timezone=Asia/Tokyo | 1
        startDate={{178822080 17882208000 178822080000 +1788220800 99999999999999 2026 202609}} | invalid startDate | {other}
        startDate=2026-09-01{{+ +08:30 +02:00 +08 T T08 T083000Z ++08:30:00 T08:30+ +08:30:00+CEST}} | invalid startDate | {other}
        startDate=2026-09-01{{TT08:30 T08:30:00ZZ T08:30:00+UTC+ t08:30:00Z}} | invalid startDate | {other}
        startDate=20260901{{T08 T08300 T08:3000 T0830.5 +0830 +0200}} | invalid startDate | {other}
        startDate={{2026-9-1 260901 20260231 1.7882208e9 1788220800.5 -1788220800}} | invalid startDate | {other}
        startDate=2026-09-01&endDate=2026-10-01&compare=20260801/{{1788220800 2026-09-01+00:00:00+UTC}} | 1"
    );
    check_statistics(&app_of(&[record]), &table).await;
}

#[tokio::test]
async fn an_optional_parameter_that_is_empty_is_as_one_that_is_absent() {
    let names = "filter format timezone interval weekStart groupBy groupLimit confidence respondents window compare describe";
    let empty = |names: &str| -> String {
        let names = names.split(' ');
        names.flat_map(|name| ["&", name, "="]).collect()
    };
    let dates = "startDate=2026-01-01&endDate=2026-02-01";
    for (query, names) in [
        (dates, format!("{names} filter period")),
        ("period=2026-01", format!("{names} startDate endDate")),
        (
            "endDate=2026-02-01&groupBy=plan&confidence=90&filter=plan=eq:",
            "startDate groupLimit".to_owned(),
        ),
    ] {
        let of = async |query: &str| ask(&empty_app(), Operation::Statistics, query).await;
        let with = of(&format!("{query}{}", empty(&names))).await;
        assert_eq!(with.status, 200, "{query}");
        assert_eq!(with.text(), of(query).await.text(), "{query}");
    }
    let users = ask(&empty_app(), Operation::Users, "limit=&format=").await;
    assert_eq!(users.text(), r#"{"users":[]}"#);
    let table = "
        interval=&interval={ day} | duplicate interval
        @string.plan eq  | 0
        @string.plan  x | invalid @string.plan[operator]
    ";
    check_statistics(&empty_app(), table).await;
}

#[tokio::test]
async fn what_divides_figures_has_the_values_of_the_contract() {
    let longest = "%C3%BC".repeat(127);
    let table = format!(
        "
        interval={{Day days hour month%20 1}} | invalid interval
        interval=week&weekStart={{Monday saturday 0}} | invalid weekStart
        groupBy=user.traits.string.a&groupLimit={{0 101 +5 5.0 1e1 all %D9%A1}} | invalid groupLimit
        confidence={{80 95.0 095 0.95 99%25}} | invalid confidence
        respondents={{Latest first}} | invalid respondents
        describe={{trait Traits}} | invalid describe
        groupBy=user.traits.{{string.plan boolean.a.b string.%20 string.{longest}x}} | none
        groupBy={{plan a.b boolean.beta string.plan traits.string.plan %20user.traits.string.plan}} | none
        groupBy={{boolean. user. user.plan user.traits.string user.traits.string.}} | invalid groupBy
        groupBy={{user.traits.boolean. user.traits.number.plan user.traits.String.plan}} | invalid groupBy
        groupBy={{{longest}xx user.traits.string.{longest}xx}} | invalid groupBy"
    );
    check_statistics(&empty_app(), &table).await;
}

#[tokio::test]
async fn a_parameter_without_the_one_it_depends_on_is_refused() {
    let table = "
        weekStart=monday{ &interval=} | missing interval
        groupLimit=5 | missing groupBy
        interval={all day month quarter year}&weekStart=monday | invalid weekStart
        timezone=Asia/Tokyo | 0
        confidence=90 | 0
        respondents={all latest} | 0
        interval=week | 0
        groupBy=user.traits.string.a | none
        describe=traits&{interval=day groupBy=user.traits.string.plan groupLimit=3} | invalid describe
        describe=traits&{confidence=95 weekStart=monday respondents=latest respondents=all} | invalid describe
        describe=traits&timezone=Europe/Prague&format=json | none
    ";
    check_statistics(&empty_app(), table).await;
}

#[tokio::test]
async fn a_malformed_date_or_zone_hides_what_depends_on_the_period() {
    let table = "
        interval=x&weekStart=x&timezone=x&groupLimit=x&confidence=x | invalid confidence, missing groupBy, \
         invalid groupLimit, invalid interval, invalid timezone, invalid weekStart
        startDate=2014-01-01&endDate=2014-02-31&interval=day | invalid endDate
        startDate=2014-02-31&endDate=2014-03-31&interval=day | invalid startDate
        startDate=2014-01-02T00:00&endDate=2014-01-01T23:00Z&timezone=x | invalid timezone
    ";
    check_statistics(&empty_app(), table).await;
}

#[tokio::test]
async fn a_thousand_intervals_and_ten_thousand_elements_are_the_most() {
    let days = "startDate=2020-01-01&interval=day&endDate=";
    let most = elements(&empty_app(), &format!("{days}2022-09-27")).await;
    assert_eq!(most.len(), 1000);
    let more = format!("{days}{{2022-09-27T00:00:00.001 9999-12-31}} | invalid interval");
    check_statistics(&empty_app(), &more).await;
    // Of 99, 100, 476, 477, 1,000 and 1,001 days; without a limit there are 20 groups.
    let table = "
        startDate=2020-01-01&endDate=2020-04-09&interval=day&groupBy=a&groupLimit=100 | none
        startDate=2020-01-01&endDate=2020-04-10&interval=day&groupBy=a&groupLimit=100 | invalid groupLimit | at most 99 for
        startDate=2020-01-01&endDate=2021-04-21&interval=day&groupBy=a | none
        startDate=2020-01-01&endDate=2021-04-22&interval=day&groupBy=a | invalid groupLimit | at most 19 for
        startDate=2020-01-01&endDate=2022-09-27&interval=day&groupBy=a&groupLimit=9 | none
        startDate=2020-01-01&endDate=2022-09-27&interval=day&groupBy=a&groupLimit=10 | invalid groupLimit | at most 9 for
        startDate=2020-01-01&endDate=2022-09-28&interval=day&groupBy=a | invalid interval
    ";
    check_statistics(&empty_app(), table).await;
}
