import type { BrowserContext } from 'playwright-core'
import { settleCompletion } from '#tests/support/ai/recorded-completions.ts'
import { sharedTable } from '#tests/support/stack/platform.ts'
import { runningAgentOf, subscribed } from './people.ts'

const dayMs = 86_400_000

const names = ['Support desk', 'Release notes', 'Invoice reader'] as const

const models = [
  { model: 'openai/gpt-4o', costUsd: 0.021, inputTokens: 5200, outputTokens: 800 },
  { model: 'anthropic/claude-sonnet-4', costUsd: 0.034, inputTokens: 7400, outputTokens: 1100 },
  { model: 'google/gemini-2.5-flash', costUsd: 0.004, inputTokens: 6100, outputTokens: 700 },
] as const

/**
 * Creates a user whose three agents have worked for a month, with scheduled tasks and a swarm.
 * @returns the agents' ids
 */
export async function fleetOf(context: BrowserContext): Promise<string[]> {
  const { id: userId } = await subscribed(context, 'Ada', 'network')
  const ids: string[] = []
  for (const name of names) ids.push(await runningAgentOf(context, name, 'network'))
  const table = sharedTable()
  for (let day = 0; day < 30; day++)
    for (const [i, { model, ...each }] of models.entries()) {
      // Weekends are quiet, and each agent has a weekly pattern of its own.
      const at = Date.now() - day * dayMs - 60_000
      const busy = new Date(at).getUTCDay() % 6 === 0 ? 1 : 2 + ((day * 7 + i * 3) % 5)
      const tokens = {
        inputTokens: each.inputTokens * busy,
        outputTokens: each.outputTokens * busy,
      }
      const agentId = ids[i] ?? null
      await settleCompletion(
        table,
        { userId, agentId, model, ...tokens, costUsd: each.costUsd * busy },
        at,
      )
    }
  const post = async (path: string, data: object) => {
    const answer = await context.request.post(path, { data })
    if (!answer.ok()) throw new Error(await answer.text())
  }
  const [desk = '', notes = '', invoices = ''] = ids
  await post('/api/swarms', { name: 'Weekly review', agents: [desk, notes] })
  const clock = { cronSchedule: '0 9 * * 1-5', timezone: 'Europe/London' }
  await post('/api/scheduled-tasks', {
    agentId: notes,
    name: 'Morning summary',
    prompt: 'What changed since yesterday?',
    ...clock,
  })
  await post('/api/chat', {
    agentId: desk,
    message: 'A customer asks where her invoice is. What do I answer?',
  })
  await post('/api/chat', { agentId: invoices, message: 'Which invoices are due this week?' })
  await post('/api/memory', {
    agentId: desk,
    key: 'tone',
    memory: 'Short, warm, no jargon. Sign as “the desk”.',
  })
  return ids
}
