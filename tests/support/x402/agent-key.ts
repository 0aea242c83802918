/**
 * `node tests/support/x402/agent-key.ts <agent>`: prints the key of an agent's container of `npm run dev`, to send
 * requests as the agent. DATA_DIR, BACKEND_URL: as for the platform.
 */
import { readFile } from 'node:fs/promises'
import { agentAiKey } from '#shared/agents/record/ai-key.ts'

const { DATA_DIR: dir = '.data', BACKEND_URL: backend = 'http://localhost:3001' } = process.env
const [id = '', userId = ''] = process.argv.slice(2)
const secrets = JSON.parse(await readFile(`${dir}/secrets.json`, 'utf8')) as Record<string, string>

/** The key changes with every start of the container. */
const maxStarts = 100

for (let generation = 1; generation <= maxStarts; generation++) {
  const key = await agentAiKey(String(secrets['WALLET_ENCRYPTION_KEY']), { id, userId }, generation)
  const { ok } = await fetch(`${backend}/broker`, { headers: { authorization: `Bearer ${key}` } })
  if (!ok) continue
  process.stdout.write(`${key}\n`)
  process.exit(0)
}
process.stderr.write('The agent does not run, or it has another owner\n')
process.exit(1)
