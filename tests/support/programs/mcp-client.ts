import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect } from 'vitest'
import { type eras, versionOf } from '../http/mcp-client.ts'

const program = join(import.meta.dirname, '../../../dist/clients/cli/agents.mjs')

/**
 * Connects the official client to `agents mcp`, which it starts as programs do.
 * @param environment the command's environment variables
 */
export async function connectCommand(
  environment: Record<string, string>,
  { era = 'today', args = [] }: { era?: (typeof eras)[number]; args?: readonly string[] } = {},
): Promise<Client> {
  const { PATH = '' } = process.env
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', ...args],
    env: { PATH, ...environment },
  })
  const client = new Client({ name: 'test', version: '1.0.0' }, versionOf(era))
  await client.connect(transport)
  return client
}

/** Returns a tool's structured result. Fails if the tool returns an error. */
export async function use(by: Client, name: string, args: Record<string, unknown> = {}) {
  const { isError, content, structuredContent } = await by.callTool({ name, arguments: args })
  expect([name, isError ?? false, content]).toEqual([name, false, content])
  return structuredContent as Record<string, unknown>
}

export const namesOf = async (by: Client) =>
  (await by.listTools()).tools.map(({ name }) => name).toSorted()
