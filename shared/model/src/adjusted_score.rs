//! What a sample says of the score of all customers.

/// The adjusted score of a sample, from -1 to 1: three quarters of a promoter and of a detractor are added to
/// three responses more (Rocks, "Interval Estimation for the Net Promoter Score", The American Statistician,
/// 2016).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdjustedScore {
    /// The score.
    pub score: f64,
    /// Its variance.
    pub variance: f64,
}

impl AdjustedScore {
    /// Adjusts the score of so many responses, of which these are promoters and detractors.
    #[allow(clippy::cast_precision_loss)] // exact up to 2^53 records
    pub fn of(responses: u64, promoters: u64, detractors: u64) -> Self {
        let responses = responses as f64 + 3.0;
        let promoters = (promoters as f64 + 0.75) / responses;
        let detractors = (detractors as f64 + 0.75) / responses;
        let score = promoters - detractors;
        Self {
            score,
            variance: (promoters + detractors - score * score) / responses,
        }
    }
}
