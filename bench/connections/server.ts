/** Runs the MCP server in its own process. Prints its address and its certificate's file in one line. */
import { startMcpServer } from '#tests/support/tools/mcp-server.ts'

const items = JSON.stringify(Array.from({ length: 20 }, (_, id) => ({ id })))
const server = await startMcpServer({
  era: 'both',
  tools: { list: { readOnly: true, call: () => items } },
})
const { url, host, certFile } = server
process.stdout.write(`${JSON.stringify({ url, host, certFile })}\n`)
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)))
