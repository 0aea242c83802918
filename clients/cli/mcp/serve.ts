import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { platformServer } from '../../../shared/tools/mcp/server.ts'
import { toolsFor } from '../../../shared/tools/mcp/tools.ts'
import { type Access, askAs } from './ask.ts'

export interface Served extends Access {
  /** Hides tools that change something. */
  readOnly: boolean
  /** The scopes of the signed-in user. */
  scopes: readonly string[]
  stdin: NodeJS.ReadStream
  /** Ends the server. */
  signal: AbortSignal
  /** Receives errors: failed tools and input that is not a valid protocol message. */
  say(line: string): void
}

/** Serves the platform's tools by MCP over standard input and output, until the input ends or the signal aborts. */
export async function serveTools({ stdin, signal, say, ...options }: Served): Promise<void> {
  const tools = toolsFor(options)
  const ask = askAs(options)
  const onFailure = (tool: string, error: unknown) => say(`${tool}: ${String(error)}`)
  const ended = new Promise<void>((resolve) => {
    stdin.once('end', resolve)
    stdin.once('close', resolve)
    signal.addEventListener('abort', () => resolve())
  })
  const connection = serveStdio(() => platformServer({ tools, ask, onFailure }), {
    onerror: ({ message }) => say(message),
    // The tool list never changes, so there is nothing to subscribe to.
    maxSubscriptions: 0,
  })
  await ended
  await connection.close()
}
