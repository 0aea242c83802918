import * as z from 'zod'
import { changeTask } from '#shared/conversations/scheduled-tasks/change.ts'
import { createTask } from '#shared/conversations/scheduled-tasks/create.ts'
import { deleteTask } from '#shared/conversations/scheduled-tasks/delete.ts'
import { listTasks } from '#shared/conversations/scheduled-tasks/list.ts'
import { newTask, taskChange, taskView } from '#shared/conversations/scheduled-tasks/schema.ts'
import { permitted, policyDenied } from '#shared/permits/policy/ask.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { parseInput } from '#shared/platform/validation.ts'
import { toolOn } from '#shared/tools/mcp/tool.ts'
import type { AgentCaller } from './context.ts'

/** The agent's scheduled tasks, created by its owner or by itself. */
export const schedules = toolOn<AgentCaller>()({
  name: 'manage_schedules',
  title: 'Manage your scheduled tasks',
  description: 'Lists, creates, changes or deletes your scheduled tasks.',
  kind: 'write',
  destructive: true,
  input: z.object({
    action: z.enum(['list', 'create', 'update', 'delete']),
    task: z.string().optional().describe('Id of the task'),
    name: z.string().optional(),
    cron: z.string().optional().describe('minute hour day month weekday'),
    timezone: z.string().optional(),
    prompt: z.string().optional(),
    enabled: z.boolean().optional(),
  }),
  output: z.looseObject({}),
  call: async (
    { table, agent, seed },
    { action, task: taskId, cron: cronSchedule, ...changes },
  ) => {
    const { id: agentId, userId } = agent
    if (userId === null)
      throw new PlatformError('forbidden', 'An agent without an owner has no tasks')
    const ctx = { table, seed, owner: userId, onlyAgent: agentId }
    if (action !== 'list') {
      const effect = { action: 'schedule.write', target: { action } } as const
      const decision = await permitted({ table }, { agent, effect })
      if (decision.then !== 'allow') throw policyDenied(effect, decision)
    }
    const fields = { ...changes, ...(cronSchedule !== undefined && { cronSchedule }) }
    switch (action) {
      case 'list':
        return { tasks: (await listTasks(ctx, {})).map((one) => taskView.parse(one)) }
      case 'create':
        return taskView.parse(await createTask(ctx, parseInput(newTask, { ...fields, agentId })))
      case 'update':
        return taskView.parse(await changeTask(ctx, parseInput(taskChange, { ...fields, taskId })))
      case 'delete': {
        const ref = parseInput(taskChange.pick({ taskId: true }), { taskId })
        await deleteTask(ctx, ref)
        return { deleted: ref.taskId }
      }
    }
  },
})
