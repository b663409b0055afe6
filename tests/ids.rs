//! What the ids of elements are derived from (contract, appendix).

use serde_json::json;

use crate::support::{app_of_traits, check_ids};

#[tokio::test]
async fn an_id_is_derived_from_the_question_and_the_elements_interval_and_group() {
    let mut traits = ["a", "a", "a", "b", "b"]
        .map(|plan| json!({"plan": {"S": plan}}))
        .to_vec();
    traits.push(json!({"seats": {"N": "3"}}));
    // In whatever order and form the same question is asked. Filters are sorted by name, type, operator and value,
    // as texts; an interval may begin before the period; a zone alone changes what dates mean, but not an instant.
    let table = r#"
        format=json
        ["p",null,null,[]]
        startDate=2026-03-01&endDate=2026-03-02&@string.a eq 1%22&@string.b ncontains
        ["p","2026-03-01T00:00:00.000Z","2026-03-02T00:00:00.000Z",[["a","eq","1\""],["b","ncontains",""]]]
        @string.b ncontains &format=json&endDate=2026-03-02T01:00%2B01:00&filter=a=eq:1%22&startDate=2026-03-01T00:00Z
        ["p","2026-03-01T00:00:00.000Z","2026-03-02T00:00:00.000Z",[["a","eq","1\""],["b","ncontains",""]]]
        filter=b=number.lt:3&filter=b=number.gte:9&filter=b=number.gte:10&filter=b=ne:x
        ["p",null,null,[["b","ne","x"],["b","number.gte","10"],["b","number.gte","9"],["b","number.lt","3"]]]
        filter=b=boolean.ne:true&filter=b=number.eq:{400 4e2 0400.0}&filter=b=eq:4&filter=a=number.gte:{-0.5 -.50 -5E-1}
        ["p",null,null,[["a","number.gte","-0.5"],["b","eq","4"],["b","number.eq","400"],["b","boolean.ne","true"]]]
        startDate=2026-03-01&endDate=2026-03-02&{filter=x=in:b,a,b filter=x=string.in:a,b}
        ["p","2026-03-01T00:00:00.000Z","2026-03-02T00:00:00.000Z",[["x","in","a,b"]]]
        startDate=2026-03-01&endDate=2026-03-03&{timezone=UTC timezone=Etc/UTC}
        ["p","2026-03-01T00:00:00.000Z","2026-03-03T00:00:00.000Z",[]]
        startDate={20260301 1772323200 2026-03-01+00:00:00+UTC}&endDate={1772496000000 20260303T000000Z}&interval=&filter=
        ["p","2026-03-01T00:00:00.000Z","2026-03-03T00:00:00.000Z",[]]
        startDate=2026-03-01&endDate=2026-03-03&{confidence=99 confidence=99&respondents=all}
        ["p","2026-03-01T00:00:00.000Z","2026-03-03T00:00:00.000Z",[],[null,null,null,null,null,99],[null,null,null]]
        startDate=2026-02-10&interval=all&timezone=Europe/Prague
        ["p","2026-02-09T23:00:00.000Z",null,[],["all","Europe/Prague",null,null,null,null],[null,null,null]]
        interval=year&timezone=Asia/Tokyo&startDate=2026-03-01T09:00&endDate=2026-03-03T00:00Z
        ["p","2026-03-01T00:00:00.000Z","2026-03-03T00:00:00.000Z",[],["year","Asia/Tokyo",null,null,null,null],["2026-01-01T00:00:00.000+09:00",null,null]]
        startDate=2026-03-01&endDate=2026-03-02&{interval=week&confidence=95 confidence=95&timezone=UTC&weekStart=monday&interval=week}
        ["p","2026-03-01T00:00:00.000Z","2026-03-02T00:00:00.000Z",[],["week","UTC","monday",null,null,95],["2026-02-23T00:00:00.000Z",null,null]]
        startDate=2026-03-01&endDate=2026-03-03&groupBy=plan&groupLimit=2
        ["p","2026-03-01T00:00:00.000Z","2026-03-03T00:00:00.000Z",[],[null,null,null,"user.traits.string.plan",2,null],[null,"a",false]] ; ["p","2026-03-01T00:00:00.000Z","2026-03-03T00:00:00.000Z",[],[null,null,null,"user.traits.string.plan",2,null],[null,"b",false]] ; ["p","2026-03-01T00:00:00.000Z","2026-03-03T00:00:00.000Z",[],[null,null,null,"user.traits.string.plan",2,null],[null,null,true]]
        startDate=2026-01-01&endDate=2027-01-01&respondents=latest
        ["p","2026-01-01T00:00:00.000Z","2027-01-01T00:00:00.000Z",[],[null,null,null,null,null,null],[null,null,null],"latest"]
        startDate=2026-01-01&endDate=2027-01-01&respondents=latest&interval=year&confidence=95
        ["p","2026-01-01T00:00:00.000Z","2027-01-01T00:00:00.000Z",[],["year","UTC",null,null,null,95],["2026-01-01T00:00:00.000Z",null,null],"latest"]
        startDate=2026-02-01&endDate=2026-03-01&compare=previous
        ["p","2026-02-01T00:00:00.000Z","2026-03-01T00:00:00.000Z",[],[null,"UTC",null,null,null,null],[null,null,null],["compare","previous"]]
        startDate=2026-02-01&endDate=2026-03-01&compare=year&respondents=latest
        ["p","2026-02-01T00:00:00.000Z","2026-03-01T00:00:00.000Z",[],[null,"UTC",null,null,null,null],[null,null,null],"latest",["compare","year"]]
        startDate=2026-02-01&endDate=2026-03-01&compare=2026-01-01/2026-02-01T01:00%2B01:00
        ["p","2026-02-01T00:00:00.000Z","2026-03-01T00:00:00.000Z",[],[null,"UTC",null,null,null,null],[null,null,null],["compare",["2026-01-01T00:00:00.000Z","2026-02-01T00:00:00.000Z"]]]
        startDate=2026-02-01&endDate=2026-02-02&interval=day&window=90d
        ["p","2026-02-01T00:00:00.000Z","2026-02-02T00:00:00.000Z",[],["day","UTC",null,null,null,null],["2026-02-01T00:00:00.000Z",null,null],["window",90]]
        startDate=2026-03-01&endDate=2026-04-01&describe=traits&filter=seats=number.gt:2
        ["p","2026-03-01T00:00:00.000Z","2026-04-01T00:00:00.000Z",[["seats","number.gt","2"]],"traits",["seats","number"]]
    "#;
    check_ids(&app_of_traits(traits), table).await;
}
