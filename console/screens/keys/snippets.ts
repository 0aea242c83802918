export interface Snippet {
  /** The name of the program. */
  name: string
  /** The place of the text, such as a file. */
  where: string
  text: string
}

const keyPlace = 'Set PLATFORM_API_KEY in the environment.'

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
      where: 'In a shell, before `claude`. Both models can be any of your plan.',
      text: `export ANTHROPIC_BASE_URL="${models.replace(/\/v1$/, '')}"
export ANTHROPIC_AUTH_TOKEN=${key}
export ANTHROPIC_MODEL=anthropic/claude-sonnet-5.5
export ANTHROPIC_DEFAULT_HAIKU_MODEL=anthropic/claude-sonnet-5.5`,
    },
    {
      name: 'Codex (models)',
      where: `~/.codex/config.toml. ${keyPlace}`,
      text: `model = "openai/gpt-6.1-terra"
model_provider = "platform"
web_search = "disabled"

[model_providers.platform]
name = "Platform"
base_url = "${models}"
env_key = "PLATFORM_API_KEY"
wire_api = "responses"`,
    },
    {
      name: 'opencode (models)',
      where: `~/.config/opencode/opencode.json. ${keyPlace}`,
      text: `{
  "$schema": "https://opencode.ai/config.json",
  "enabled_providers": ["platform"],
  "model": "platform/anthropic/claude-sonnet-5.5",
  "small_model": "platform/anthropic/claude-sonnet-5.5",
  "provider": {
    "platform": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "Platform",
      "options": {
        "baseURL": "${models}",
        "apiKey": "{env:PLATFORM_API_KEY}"
      },
      "models": { "anthropic/claude-sonnet-5.5": {} }
    }
  }
}`,
    },
    {
      name: 'Qwen Code (models)',
      where: `~/.qwen/settings.json. ${keyPlace}`,
      text: `{
  "security": { "auth": { "selectedType": "openai" } },
  "model": { "name": "anthropic/claude-sonnet-5.5" },
  "modelProviders": {
    "openai": [
      {
        "id": "anthropic/claude-sonnet-5.5",
        "baseUrl": "${models}",
        "envKey": "PLATFORM_API_KEY"
      }
    ]
  },
  "memory": { "enableManagedAutoMemory": false }
}`,
    },
    {
      name: 'Continue (models)',
      where: `~/.continue/config.yaml. ${keyPlace}`,
      text: `name: Platform
version: 1.0.0
schema: v1
models:
  - name: Claude Sonnet
    provider: openai
    model: anthropic/claude-sonnet-5.5
    apiBase: ${models}
    apiKey: \${{ secrets.PLATFORM_API_KEY }}
    roles: [chat]
    capabilities: [tool_use]`,
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
