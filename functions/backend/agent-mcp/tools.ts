import * as z from 'zod'
import { ownerOf } from '#shared/agents/record/agent.ts'
import { storedMemory } from '#shared/agents/workspace/memory/read.ts'
import { noteChange } from '#shared/agents/workspace/memory/schema.ts'
import { writeNotes } from '#shared/agents/workspace/memory/write.ts'
import { usageByAgent } from '#shared/ai/usage/queries/by-model.ts'
import { toolUsage } from '#shared/ai/usage/queries/tools.ts'
import { lastDays } from '#shared/platform/days.ts'
import { notesWith } from '#shared/tools/mcp/notes.ts'
import { type Tool, toolOn } from '#shared/tools/mcp/tool.ts'
import { channels } from './channels.ts'
import type { AgentCaller } from './context.ts'
import { readPage } from './read-page.ts'
import { schedules } from './schedules.ts'
import { services } from './services.ts'

const tool = toolOn<AgentCaller>()

/**
 * The tools of an agent. They access only the agent's own data, not the data of its owner or of other agents, and
 * cannot create or delete agents.
 */
export const tools: readonly Tool<AgentCaller>[] = [
  tool({
    name: 'search_memory',
    title: 'Search your memory',
    description: 'Your notes whose key or text contains the words; without a query, all notes.',
    kind: 'read',
    input: z.object({ query: z.string().max(1000).default('') }),
    output: z.object({ notes: z.record(z.string(), z.string()) }),
    call: async (ctx, { query }) => {
      const { memory } = await storedMemory(ctx, ctx)
      return { notes: notesWith(memory, query) }
    },
  }),
  tool({
    name: 'write_memory',
    title: 'Write a note',
    description: 'Writes a note, which is part of every later conversation; null deletes it.',
    kind: 'write',
    destructive: true,
    input: noteChange,
    output: z.object({ key: z.string(), saved: z.literal(true) }),
    call: async (ctx, { key, text }) => {
      await writeNotes(ctx, { agent: ctx.agent, notes: { [key]: text } })
      return { key, saved: true }
    },
  }),
  schedules,
  tool({
    name: 'get_usage',
    title: 'Get your usage',
    description: 'Your tokens and cost in USD of the last days by model, or your tool calls.',
    kind: 'read',
    input: z.object({
      by: z.enum(['by-model', 'tools']).default('by-model'),
      days: z.int().min(1).max(90).default(30),
    }),
    output: z.object({ data: z.array(z.looseObject({})) }),
    call: async ({ table, agent }, { by, days }) => {
      const query = {
        scope: { userId: ownerOf(agent) },
        days: lastDays(days),
        agentId: agent.id,
      }
      const queryUsage = by === 'tools' ? toolUsage : usageByAgent
      return { data: await queryUsage({ table }, query) }
    },
  }),
  readPage,
  ...channels,
  ...services,
]
