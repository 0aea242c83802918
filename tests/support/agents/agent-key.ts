/**
 * `npm run agent-key -- <agent>`: prints the key of an agent's container of `npm run dev`, to send requests as the
 * agent. PLATFORM_URL and PLATFORM_API_KEY: as for the command line. BACKEND_URL, DATA_DIR: as for the platform.
 */
import { readFile } from 'node:fs/promises'
import { agentAiKey } from '#shared/agents/record/ai-key.ts'

const {
  DATA_DIR: dir = '.data',
  BACKEND_URL: backend = 'http://localhost:3001',
  PLATFORM_URL: web = 'http://localhost:3000',
  PLATFORM_API_KEY: ownerKey = '',
} = process.env
const [id = ''] = process.argv.slice(2)

/** The key changes with every start of the container. */
const maxStarts = 100

async function keyOf(userId: string): Promise<string | undefined> {
  const secrets = JSON.parse(await readFile(`${dir}/secrets.json`, 'utf8')) as Record<
    string,
    string
  >
  for (let generation = 1; generation <= maxStarts; generation++) {
    const key = await agentAiKey(
      String(secrets['WALLET_ENCRYPTION_KEY']),
      { id, userId },
      generation,
    )
    if ((await get(`${backend}/broker`, key)).ok) return key
  }
  return undefined
}

function get(url: string, key: string): Promise<Response> {
  return fetch(url, { headers: { authorization: `Bearer ${key}` } })
}

const owner = await get(`${web}/api/settings`, ownerKey)
if (!owner.ok) throw new Error(`PLATFORM_API_KEY is not valid at ${web}`)
const key = await keyOf(((await owner.json()) as { id: string }).id)
if (key === undefined) throw new Error(`${id} does not run, or belongs to another user`)
process.stdout.write(`${key}\n`)
