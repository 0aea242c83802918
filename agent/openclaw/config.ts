import { join } from 'node:path'
import type { Settings } from '../gateway/settings.ts'

/** The model of an agent without AI_MODEL: the gateway uses the models of the fast tier (contract.md 5). */
export const defaultModel = 'auto'

/** OpenClaw's name for the platform's AI gateway. */
const provider = 'platform'

/** OpenClaw's name for the server with the platform's own tools. No connection may have it. */
const ownServer = 'platform'

interface OpenclawSettings extends Settings {
  /** The names of the agent's connections. */
  connectionNames?: readonly string[]
}

/**
 * Returns OpenClaw's configuration (`openclaw.json`, release 2026.9) for one agent.
 *
 * Both secrets stay references to the environment: OpenClaw replaces `${NAME}` in every string when it reads the file (its
 * docs, gateway/config-secrets-env, "Env var substitution").
 *
 * - `gateway.mode`, `bind`, `auth`, `controlUi`: gateway/config-gateway. It only starts with `local`. It listens on loopback
 *   only, because callers come through the process in front of it (front/). The web console is off, because users come
 *   through the platform.
 * - `gateway.http.endpoints.chatCompletions`: gateway/openai-http-api; off by default.
 * - `models.mode`, `models.providers`: gateway/config-tools/custom-providers. `replace` makes the platform the only
 *   provider. Usage in streams must be declared for a remote endpoint. The key has the type token: after a 402, OpenClaw
 *   does not use an `api-key` for ten minutes or more, even if the cap has been raised in the meantime.
 * - `agents.defaults.workspace`, `skipBootstrap`: gateway/config-agents/workspace-and-bootstrap. OpenClaw's own persona
 *   files are not created; `SOUL.md` is, from the agent's system prompt.
 * - `agents.defaults.model.primary`: gateway/config-agents/models.
 * - `agents.defaults.heartbeat`: gateway/config-agents/heartbeat-compaction-and-streaming; and
 *   `plugins.entries.memory-core.config.dreaming`: concepts/dreaming. Both call the model by themselves, and an agent
 *   without conversations must cost nothing.
 * - `channels`: channels/discord and channels/pairing. A sender who is not in `allowFrom` gets a code. The owner approves
 *   the sender with this code: bot names are public, and the owner pays for each reply. The platform answers on all other
 *   chat services.
 * - `mcp.servers`: cli/mcp. The platform's own tools, if the agent may use them, and one server for each connection. The
 *   platform answers all of them to the agent's AI key. OpenClaw names their tools `<server>__<tool>`.
 * - `logging`: gateway/logging. At level `info`, the log file contains whole replies.
 * - `discovery.mdns`, `update`: gateway/config-runtime. A task has no local network to announce itself on, and a new image
 *   updates it.
 */
export function openclawConfig({
  ai,
  workspace,
  channels,
  senders,
  mcp,
  connections,
  connectionNames = [],
}: OpenclawSettings): Record<string, unknown> {
  const model = ai.model ?? defaultModel
  const servers = [
    ...(mcp ? [[ownServer, mcpServer(mcp.href)]] : []),
    ...connectionNames.map((name) => [name, mcpServer(`${connections.href}/${name}/mcp`)]),
  ]
  return {
    gateway: {
      mode: 'local',
      bind: 'loopback',
      auth: { mode: 'token', token: '${GATEWAY_TOKEN}' },
      controlUi: { enabled: false },
      http: { endpoints: { chatCompletions: { enabled: true } } },
    },
    models: {
      mode: 'replace',
      providers: {
        [provider]: {
          baseUrl: ai.baseUrl.href.replace(/\/+$/, ''),
          apiKey: '${AI_API_KEY}',
          auth: 'token',
          api: 'openai-completions',
          models: [{ id: model, name: model, compat: { supportsUsageInStreaming: true } }],
        },
      },
    },
    agents: {
      defaults: {
        workspace,
        skipBootstrap: true,
        model: { primary: `${provider}/${model}` },
        heartbeat: { every: '0m' },
      },
    },
    channels: {
      ...(channels.discord && {
        discord: {
          enabled: true,
          dmPolicy: 'pairing',
          allowFrom: senders.discord,
          token: '${DISCORD_BOT_TOKEN}',
        },
      }),
    },
    ...(servers.length > 0 && { mcp: { servers: Object.fromEntries(servers) } }),
    plugins: { entries: { 'memory-core': { config: { dreaming: { enabled: false } } } } },
    logging: { level: 'warn', consoleLevel: 'warn', consoleStyle: 'json' },
    discovery: { mdns: { mode: 'off' } },
    update: { checkOnStart: false, auto: { enabled: false } },
  }
}

function mcpServer(url: string) {
  return { url, transport: 'streamable-http', headers: { Authorization: 'Bearer ${AI_API_KEY}' } }
}

/** Returns the file with OpenClaw's configuration: path and text. */
export function configFile(
  settings: OpenclawSettings,
  stateDir: string,
): [path: string, text: string] {
  const config = JSON.stringify(openclawConfig(settings), null, 2)
  return [join(stateDir, 'openclaw.json'), `${config}\n`]
}

/** Returns the files that OpenClaw needs at its start: path and text. */
export function openclawFiles(settings: OpenclawSettings, stateDir: string): Map<string, string> {
  const files = new Map([configFile(settings, stateDir)])
  if (settings.systemPrompt !== undefined) {
    files.set(join(settings.workspace, 'SOUL.md'), `${settings.systemPrompt}\n`)
  }
  return files
}
