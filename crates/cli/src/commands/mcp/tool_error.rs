//! The error of a tool.

use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, ErrorData};

use super::results::cut;
use crate::text::words;

/// The most characters of an error, in which the API may quote what it was asked.
const CHARACTERS: usize = 500;

/// Why a call is refused, in words that help an assistant to correct itself.
pub(super) struct ToolError(pub(super) String);

impl From<anyhow::Error> for ToolError {
    fn from(error: anyhow::Error) -> Self {
        Self(cut(&words(&error), CHARACTERS))
    }
}

impl IntoCallToolResult for ToolError {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::error(vec![ContentBlock::text(self.0)]).into())
    }
}
