import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { platformServer } from '../../../shared/mcp/server.ts'
import { toolsFor } from '../../../shared/mcp/tools.ts'
import { type Access, askAs } from './ask.ts'

export interface Served extends Access {
  /** Hides tools that change something. */
  readOnly: boolean
  /** What who is signed in may do. */
  scopes: readonly string[]
  stdin: NodeJS.ReadStream
  /** Ends it. */
  signal: AbortSignal
  /** Told of what is no message of the protocol. */
  say(line: string): void
}

/** Serves the platform's tools over standard input and output, until the input ends or the signal aborts. */
export async function serveTools({ stdin, signal, say, ...given }: Served): Promise<void> {
  const tools = toolsFor(given)
  const ask = askAs(given)
  const onFailure = (tool: string, error: unknown) => say(`${tool}: ${String(error)}`)
  const ended = new Promise<void>((resolve) => {
    stdin.once('end', resolve)
    stdin.once('close', resolve)
    signal.addEventListener('abort', () => resolve())
  })
  const connection = serveStdio(() => platformServer({ tools, ask, onFailure }), {
    onerror: ({ message }) => say(message),
    // What a subscription would wait for never comes.
    maxSubscriptions: 0,
  })
  await ended
  await connection.close()
}
