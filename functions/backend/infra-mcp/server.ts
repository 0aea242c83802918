import { type CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { PlatformError } from '../../../shared/platform/errors.ts'
import type { Log } from '../../../shared/platform/log.ts'
import { type OperatorServices, type Tool, tools } from './tools.ts'

/** Raised when a tool goes or takes or answers something else. */
const version = '1.0.0'

const instructions =
  'Tells operators of an agent platform how it is. Every tool reads and none changes anything. ' +
  'Begin with list_incidents and list_queues; times are ISO 8601 in UTC, costs are in USD.'

/** The server of one request: the protocol of today keeps no session, and neither does this one for older clients. */
export function operatorServer(services: OperatorServices, log: Log): McpServer {
  const server = new McpServer({ name: 'agent-platform', version }, { instructions })
  for (const tool of tools)
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: tool.input,
        outputSchema: tool.output,
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      },
      (input) => answer(tool, services, log, input),
    )
  return server
}

async function answer(
  tool: Tool,
  services: OperatorServices,
  log: Log,
  input: unknown,
): Promise<CallToolResult> {
  try {
    const structuredContent = await tool.call(services, input)
    // For clients that read no structured content.
    return {
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
    }
  } catch (error) {
    // The package would tell the caller the words of any error.
    if (!(error instanceof PlatformError)) log.error('a tool failed', { tool: tool.name, error })
    const text = error instanceof PlatformError ? error.message : 'Internal server error'
    return { isError: true, content: [{ type: 'text', text }] }
  }
}
