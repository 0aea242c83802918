export interface Snippet {
  /** The name of the program. */
  name: string
  /** The place of the text, such as a file. */
  where: string
  text: string
}

/**
 * Returns configurations for programs, as in docs/use/connect.md and docs/use/models.md.
 * @param origin the web API's origin
 * @param input.key a key that was just created, which the page shows anyway
 * @param given.models the URL for model calls, once it is known
 */
export function snippets(
  origin: string,
  { key = 'sk_…', models = '$BACKEND_URL/v1' }: { key?: string; models?: string } = {},
): Snippet[] {
  const url = `${origin}/mcp`
  return [
    {
      name: 'curl',
      where: 'In a shell.',
      text: `export PLATFORM_API_KEY=${key}
curl ${origin}/api/agents -H "Authorization: Bearer $PLATFORM_API_KEY"`,
    },
    {
      name: 'TypeScript',
      where: 'With the TypeScript client. Set PLATFORM_API_KEY in the environment.',
      text: `import { Platform } from 'agent-platform-client'

const platform = new Platform({ baseUrl: '${origin}' })
const [agent] = await platform.agents.list()
for await (const event of platform.chat.stream({ agentId: agent.id, message: 'Hello' }))
  if (event.type === 'delta') process.stdout.write(event.content)`,
    },
    {
      name: 'OpenAI’s clients',
      where: 'For calls to models through the gateway, with an API key.',
      text: `export OPENAI_BASE_URL="${models}"
export OPENAI_API_KEY=${key}`,
    },
    {
      name: 'Claude Code (models)',
      where: 'In a shell, before `claude`. ANTHROPIC_MODEL is any model of your plan.',
      text: `export ANTHROPIC_BASE_URL="${models.replace(/\/v1$/, '')}"
export ANTHROPIC_AUTH_TOKEN=${key}
export ANTHROPIC_MODEL=anthropic/claude-sonnet-5.5`,
    },
    {
      name: 'Command line',
      where: 'Signs in through this site. No key needed.',
      text: `agents login --url ${origin}`,
    },
    {
      name: 'Claude Code (MCP)',
      where: 'In a shell.',
      text: `claude mcp add --transport http agents ${url} --header 'Authorization: Bearer \${PLATFORM_API_KEY}'`,
    },
    {
      name: 'Cursor (MCP)',
      where: '~/.cursor/mcp.json, or .cursor/mcp.json of a project.',
      text: `{
  "mcpServers": {
    "agents": {
      "url": "${url}",
      "headers": { "Authorization": "Bearer \${env:PLATFORM_API_KEY}" }
    }
  }
}`,
    },
    {
      name: 'VS Code (MCP)',
      where: '.vscode/mcp.json; the key is asked for once and kept by the editor.',
      text: `{
  "inputs": [
    { "type": "promptString", "id": "platform-key", "description": "API key", "password": true }
  ],
  "servers": {
    "agents": {
      "type": "http",
      "url": "${url}",
      "headers": { "Authorization": "Bearer \${input:platform-key}" }
    }
  }
}`,
    },
    {
      name: 'Codex (MCP)',
      where: '~/.codex/config.toml.',
      text: `[mcp_servers.agents]
url = "${url}"
bearer_token_env_var = "PLATFORM_API_KEY"
tool_timeout_sec = 60`,
    },
    {
      name: 'OpenClaw (MCP)',
      where: '~/.openclaw/openclaw.json.',
      text: `{
  "mcp": {
    "servers": {
      "agents": {
        "url": "${url}",
        "transport": "streamable-http",
        "headers": { "Authorization": "Bearer \${PLATFORM_API_KEY}" }
      }
    }
  }
}`,
    },
  ]
}
