import { join } from 'node:path'
import type { Settings } from '../gateway/settings.ts'

/** The model of an agent without AI_MODEL: the gateway uses the models of the fast tier (contract.md 5). */
export const defaultModel = 'auto'

/** The name under which OpenClaw knows the platform's AI gateway. */
const provider = 'platform'

/**
 * OpenClaw's configuration (`openclaw.json`, release 2026.9) for one agent.
 *
 * Both secrets stay references to the environment: OpenClaw replaces `${NAME}` in any string when
 * it reads the file (its docs, gateway/config-secrets-env, "Env var substitution").
 *
 * - `gateway.mode`, `bind`, `auth`, `controlUi`: gateway/config-gateway. `local` or it does
 *   not start; on loopback alone, since callers come through the process before it (front/). The web
 *   console is off, for users come through the platform.
 * - `gateway.http.endpoints.chatCompletions`: gateway/openai-http-api; off unless switched on.
 * - `models.mode`, `models.providers`: gateway/config-tools/custom-providers. `replace` leaves the
 *   platform as the only provider. Usage in streams must be declared for a remote endpoint. The key is
 *   called a token: of an `api-key` that was once answered with 402 OpenClaw makes no use for ten minutes
 *   and more, also when the cap that was reached has been raised meanwhile.
 * - `agents.defaults.workspace`, `skipBootstrap`: gateway/config-agents/workspace-and-bootstrap. Its
 *   own persona files are not made; `SOUL.md` is, from the agent's system prompt.
 * - `agents.defaults.model.primary`: gateway/config-agents/models.
 * - `agents.defaults.heartbeat`: gateway/config-agents/heartbeat-compaction-and-streaming; and
 *   `plugins.entries.memory-core.config.dreaming`: concepts/dreaming. Both call the model by
 *   themselves, and an agent without conversations must cost nothing.
 * - `channels`: channels/telegram, channels/discord and channels/pairing. A sender who is not in `allowFrom` gets a code.
 *   The owner approves the sender with this code: bot names are public, and the owner pays for each answer.
 * - `mcp.servers`: cli/mcp. The platform's own tools, where the agent may use them, by the key that it has anyway.
 * - `logging`: gateway/logging. At the level `info` its log file holds whole answers.
 * - `discovery.mdns`, `update`: gateway/config-runtime. A task has no local network to announce
 *   itself on, and is updated by a new image.
 */
export function openclawConfig({
  ai,
  workspace,
  channels,
  senders,
  mcp,
}: Settings): Record<string, unknown> {
  const model = ai.model ?? defaultModel
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
      ...(channels.telegram && {
        telegram: { ...bot(senders.telegram), botToken: '${TELEGRAM_TOKEN}' },
      }),
      ...(channels.discord && {
        discord: { ...bot(senders.discord), token: '${DISCORD_BOT_TOKEN}' },
      }),
    },
    ...(mcp && {
      mcp: {
        servers: {
          [provider]: {
            url: mcp.href,
            transport: 'streamable-http',
            headers: { Authorization: 'Bearer ${AI_API_KEY}' },
          },
        },
      },
    }),
    plugins: { entries: { 'memory-core': { config: { dreaming: { enabled: false } } } } },
    logging: { level: 'warn', consoleLevel: 'warn', consoleStyle: 'json' },
    discovery: { mdns: { mode: 'off' } },
    update: { checkOnStart: false, auto: { enabled: false } },
  }
}

function bot(allowFrom: readonly string[]) {
  return { enabled: true, dmPolicy: 'pairing', allowFrom }
}

/** The files that OpenClaw finds at its start: path and text. */
export function openclawFiles(settings: Settings, stateDir: string): Map<string, string> {
  const config = JSON.stringify(openclawConfig(settings), null, 2)
  const files = new Map([[join(stateDir, 'openclaw.json'), `${config}\n`]])
  if (settings.systemPrompt !== undefined) {
    files.set(join(settings.workspace, 'SOUL.md'), `${settings.systemPrompt}\n`)
  }
  return files
}
