import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/**
 * The two protocol versions that clients may speak: the current one, and the older one that starts with `initialize`.
 */
export const eras = ['today', 'initialize'] as const

/** Returns the options that make the official client speak an era's version. */
export function versionOf(era: (typeof eras)[number]) {
  return {
    versionNegotiation: { mode: era === 'today' ? { pin: '2026-07-28' } : ('legacy' as const) },
  }
}

/**
 * Connects the protocol's official client.
 * @param fetch used in place of the network
 */
export async function connectClient(
  url: string,
  key: string,
  { era = 'today', fetch }: { era?: (typeof eras)[number]; fetch?: typeof globalThis.fetch } = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, versionOf(era))
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    ...(fetch !== undefined && { fetch }),
  })
  await client.connect(transport)
  return client
}
