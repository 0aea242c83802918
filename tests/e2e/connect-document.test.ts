import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, expect, it } from 'vitest'
import { keyOf, newSubscriber, stack } from '../support/stack/platform.ts'

const root = join(import.meta.dirname, '../..')
const text = readFileSync(join(root, 'docs/use/connect.md'), 'utf8')

/** Returns the code under a heading of the document. */
function snippet(heading: string, language: string): string {
  const [, section = ''] = text.split(`\n## ${heading}\n`)
  const found = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(section)
  expect([heading, found?.index !== undefined]).toEqual([heading, true])
  return found?.[1] ?? ''
}

interface Server {
  url: string
  headers: Record<string, string>
}

let key: string

beforeAll(async () => {
  key = await keyOf(await newSubscriber())
})

/** Parses the TOML values that are also valid JSON, by `table.name`. */
function fieldsOf(toml: string): Record<string, unknown> {
  let table = ''
  const fields: Record<string, unknown> = {}
  for (const line of toml.split('\n').filter((one) => one !== '')) {
    const [, opened] = /^\[([\w.]+)\]$/.exec(line) ?? []
    const [, name = '', value] = /^(\w+) = (.+)$/.exec(line) ?? []
    if (opened !== undefined) table = opened
    else if (value !== undefined) fields[`${table}.${name}`] = JSON.parse(value)
    else throw new Error(`${line} is no TOML that this test reads`)
  }
  return fields
}

/** The MCP server that each program makes of the document's snippet. */
const servers: Record<string, () => Server> = {
  'Claude Code': () => {
    const words = /^claude mcp add --transport http agents (\S+) --header '([\w-]+): (.+)'$/m
    const [, url = '', name = '', value = ''] = words.exec(snippet('Claude Code', 'sh')) ?? []
    return { url, headers: { [name]: value } }
  },
  Cursor: () => {
    const { mcpServers } = JSON.parse(snippet('Cursor', 'json')) as Record<
      string,
      { agents: Server }
    >
    return mcpServers?.agents as Server
  },
  'VS Code': () => {
    const { inputs, servers: all } = JSON.parse(snippet('VS Code', 'json')) as {
      inputs: { id: string; type: string }[]
      servers: { agents: Server & { type: string } }
    }
    expect([inputs, all.agents.type]).toMatchObject([[{ type: 'promptString' }], 'http'])
    expect(all.agents.headers.Authorization).toContain(`\${input:${inputs[0]?.id}}`)
    return all.agents
  },
  Codex: () => {
    const fields = fieldsOf(snippet('Codex', 'toml'))
    const variable = String(fields['mcp_servers.agents.bearer_token_env_var'])
    // Longer than the tools that wait for an agent.
    expect(fields['mcp_servers.agents.tool_timeout_sec']).toBeGreaterThan(55)
    const headers = { Authorization: `Bearer \${${variable}}` }
    return { url: String(fields['mcp_servers.agents.url']), headers }
  },
  OpenClaw: () => {
    const { mcp } = JSON.parse(snippet('OpenClaw', 'json')) as {
      mcp: { servers: { agents: Server & { transport: string } } }
    }
    expect(mcp.servers.agents.transport).toBe('streamable-http')
    return mcp.servers.agents
  },
}

const newClient = () => new Client({ name: 'docs', version: '1.0.0' })

it.each(Object.entries(servers))(
  '%s reaches the tools with the copied configuration',
  async (_, read) => {
    const { url, headers } = read()
    expect(url).toBe('https://app.example.com/mcp')
    const filled = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace(/\$\{(?:(?:env:)?PLATFORM_API_KEY|input:platform-key)\}/, key),
    ])
    // The file contains no key.
    expect(JSON.stringify(headers)).not.toMatch(/sk_/)
    const transport = new StreamableHTTPClientTransport(new URL(`${stack().web}/mcp`), {
      requestInit: { headers: Object.fromEntries(filled) as Record<string, string> },
    })
    const client = newClient()
    await client.connect(transport)
    expect((await client.listTools()).tools).toHaveLength(21)
    await client.close()
  },
)

it('programs that start their servers reach the tools by the command line', async () => {
  const { mcpServers } = JSON.parse(snippet('Over standard input and output', 'json')) as {
    mcpServers: { agents: { command: string; args: string[]; env: Record<string, string> } }
  }
  const { command, args, env } = mcpServers.agents
  expect([command, env]).toEqual(['node', { PLATFORM_URL: 'https://app.example.com' }])
  const { PATH = '' } = process.env
  const client = newClient()
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: args.map((one) => one.replace(/^\/path\/to/, root)),
      env: { PATH, PLATFORM_URL: stack().web, PLATFORM_API_KEY: key },
    }),
  )
  expect((await client.listTools()).tools).toHaveLength(21)
  await client.close()
})
