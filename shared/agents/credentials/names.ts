const form = /^[A-Z][A-Z0-9_]{0,63}$/

/** What the platform, the runtimes, Node, AWS and the system's loader listen to; none of it is a user's to set. */
const reservedPrefixes = [
  'AGENT_',
  'AI_',
  'GATEWAY_',
  'OPENCLAW_',
  'NODE_',
  'OPENSSL_',
  'SSL_CERT_',
  'AWS_',
  'ECS_',
  'LD_',
]

const agentVariables = [
  'SYSTEM_PROMPT',
  'WORKSPACE_DIR',
  'SHUTDOWN_GRACE_MS',
  'EXIT_ON_STDIN_EOF',
  'TELEGRAM_TOKEN',
  'DISCORD_BOT_TOKEN',
  'WHATSAPP_TOKEN',
]
const network = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']
const system = ['PATH', 'HOME', 'PWD', 'USER', 'SHELL', 'TMPDIR', 'TERM', 'ENV', 'BASH_ENV', 'IFS']

const reserved = new Set([...agentVariables, ...network, ...system])

/** Whether a name can be a variable of a user's own in an agent's environment. */
export function isCredentialName(name: string): boolean {
  return form.test(name) && !isReserved(name)
}

/** Whether a name is taken by what the container itself runs on. */
export function isReserved(name: string): boolean {
  return reserved.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix))
}
