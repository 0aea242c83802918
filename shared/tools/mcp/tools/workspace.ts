import * as z from 'zod'
import { agentName, findAgentId } from '../find.ts'
import { notesWith } from '../notes.ts'
import { type AskApi, ToolRefusal, tool } from '../tool.ts'

const id = z.string()

/** Returns a field that an action requires. @throws ToolRefusal without it */
function needed(value: string | undefined, name: string): string {
  if (value === undefined) throw new ToolRefusal(`${name} is required for this action`)
  return value
}

/** Returns an id as a path segment: dots alone would lead to another route. */
function segment(id: string): string {
  if (id === '.' || id === '..') throw new ToolRefusal('task must be the id of a task')
  return encodeURIComponent(id)
}

function agentOf(ask: AskApi, agent: string | undefined): Promise<string> {
  return findAgentId(ask, needed(agent, 'agent'))
}

export const workspaceTools = [
  tool({
    name: 'search_memory',
    title: 'Search the memory of an agent',
    description: 'Notes whose key or text contains the words; without a query, all notes.',
    kind: 'read',
    input: z.object({ agent: agentName, query: z.string().optional() }),
    output: z.looseObject({ notes: z.record(z.string(), z.string()) }),
    call: async (ask, { agent, query = '' }) => {
      const agentId = await findAgentId(ask, agent)
      const { memory } = await ask({
        method: 'GET',
        path: '/api/memory',
        query: { agentId },
      })
      const notes = notesWith(memory as Record<string, unknown>, query)
      return { agentId, notes }
    },
  }),
  tool({
    name: 'write_memory',
    title: 'Write into the memory of an agent',
    description: 'Writes a note; null deletes it.',
    kind: 'write',
    destructive: true,
    input: z.object({ agent: agentName, key: id, text: z.string().nullable() }),
    output: z.looseObject({}),
    call: async (ask, { agent, key, text }) =>
      ask({
        method: 'POST',
        path: '/api/memory',
        body: { agentId: await findAgentId(ask, agent), key, memory: text },
      }),
  }),
  tool({
    name: 'manage_skills',
    title: 'Manage skills',
    description: 'Lists the catalogue, or installs or removes a skill of an agent.',
    kind: 'write',
    destructive: true,
    input: z.object({
      action: z.enum(['list', 'install', 'remove']),
      agent: agentName.optional(),
      skill: id.optional(),
    }),
    output: z.looseObject({}),
    call: async (ask, { action, agent, skill }) => {
      const path = '/api/skills'
      if (action === 'list') {
        const of = agent === undefined ? undefined : await findAgentId(ask, agent)
        return ask({ method: 'GET', path, query: { agentId: of } })
      }
      const body = { agentId: await agentOf(ask, agent), skillId: needed(skill, 'skill') }
      return ask({ method: action === 'install' ? 'POST' : 'DELETE', path, body })
    },
  }),
  tool({
    name: 'manage_schedules',
    title: 'Manage scheduled tasks',
    description: 'Lists, creates, changes, deletes or runs scheduled tasks of an agent.',
    kind: 'write',
    destructive: true,
    input: z.object({
      action: z.enum(['list', 'create', 'update', 'delete', 'run']),
      agent: agentName.optional(),
      task: id.optional().describe('Id of the task'),
      name: z.string().optional(),
      cron: z.string().optional().describe('minute hour day month weekday'),
      timezone: z.string().optional(),
      prompt: z.string().optional(),
      enabled: z.boolean().optional(),
    }),
    output: z.looseObject({}),
    call: async (ask, { action, agent, task, cron: cronSchedule, ...fields }) => {
      const path = '/api/scheduled-tasks'
      const body = { ...fields, ...(cronSchedule !== undefined && { cronSchedule }) }
      switch (action) {
        case 'list': {
          const of = agent === undefined ? undefined : await findAgentId(ask, agent)
          return ask({ method: 'GET', path, query: { agentId: of } })
        }
        case 'create':
          return ask({
            method: 'POST',
            path,
            body: { ...body, agentId: await agentOf(ask, agent) },
          })
        case 'update':
          return ask({
            method: 'PUT',
            path,
            body: { ...body, taskId: needed(task, 'task') },
          })
        case 'delete':
          return ask({ method: 'DELETE', path, body: { taskId: needed(task, 'task') } })
        case 'run':
          return ask({
            method: 'POST',
            path: `${path}/${segment(needed(task, 'task'))}/run`,
          })
      }
    },
  }),
]
