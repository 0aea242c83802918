import * as z from 'zod'
import { requireAgent } from '#shared/agents/record/find.ts'
import { isRunning } from '#shared/agents/record/running.ts'
import { readMemory } from '#shared/agents/workspace/memory/read.ts'
import {
  agentIdText,
  memoryAnswer,
  memoryChange,
  memoryChanged,
  memoryDeleted,
  memoryDeletion,
  notesOf,
} from '#shared/agents/workspace/memory/schema.ts'
import { writeNotes } from '#shared/agents/workspace/memory/write.ts'
import { pushNow } from '#shared/agents/workspace/push-now.ts'
import { installSkill } from '#shared/agents/workspace/skills/install.ts'
import { listSkills } from '#shared/agents/workspace/skills/list.ts'
import {
  skillAnswers,
  skillFilter,
  skillOfAgent,
  skillParams,
  skillUse,
} from '#shared/agents/workspace/skills/schema.ts'
import { uninstallSkill } from '#shared/agents/workspace/skills/uninstall.ts'
import { actOnAgent } from '#shared/conversations/agent-console/act.ts'
import { askAgent } from '#shared/conversations/agent-console/ask.ts'
import {
  agentAnswer,
  agentQuestion,
  actionAnswer,
  agentAction,
} from '#shared/conversations/agent-console/schema.ts'
import { chatAnswer } from '#shared/conversations/chat/schema.ts'
import { useSkill } from '#shared/conversations/chat/use-skill.ts'
import { checkScope } from '#shared/http/guards/scope.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { type AgentClientServices, agentClient } from '../common/agent-client.ts'
import { turnCodes, turnErrors } from '../common/turn-errors.ts'

const route = routesWith<AgentClientServices>()

export const routes = [
  route({
    name: 'agent.ask',
    method: 'GET',
    path: '/api/agent',
    summary: 'Read from an agent',
    description:
      'Returns the agent, its health, conversations, memory, skills or the names of its credentials.',
    tag: 'agent',
    guard: 'session',
    query: agentQuestion,
    response: agentAnswer,
    errors: ['bad-request', 'unauthorized', 'not-found', 'conflict', 'bad-gateway', 'timeout'],
    codes: [
      'AGENT_FAILED',
      'AGENT_NOT_RUNNING',
      'AGENT_TIMEOUT',
      'AGENT_UNREACHABLE',
      'STOPPED_BY_OPERATOR',
    ],
    handle: (context, { query }) => askAgent(context, query),
  }),

  route({
    name: 'agent.act',
    method: 'POST',
    path: '/api/agent',
    summary: 'Act on an agent',
    description:
      'Sends a message, creates a conversation, turns a skill on or off, or sets a credential.',
    tag: 'agent',
    guard: 'session',
    open: { kind: 'turns', most: 20, what: 'turns with agents' },
    scope: ['chat', 'write'],
    body: agentAction,
    response: actionAnswer,
    notAudited: 'a credential for other services; it gives no access here',
    idempotent: true,
    errors: turnErrors,
    codes: [...turnCodes, 'CREDENTIALS_FULL'],
    handle: (context, { body }) => {
      const { actor, request } = context
      const talks = body.action === 'chat' || body.action === 'create-session'
      checkScope(actor, { method: 'POST', scope: talks ? 'chat' : 'write' })
      return actOnAgent({ ...context, signal: request.signal }, body)
    },
  }),

  route({
    name: 'memory.get',
    method: 'GET',
    path: '/api/memory',
    summary: 'Get the memory of an agent',
    description: 'Includes the notes that the agent wrote itself.',
    tag: 'memory',
    guard: 'session',
    query: z.object({ agentId: agentIdText }),
    response: memoryAnswer,
    errors: ['bad-request', 'unauthorized', 'not-found'],
    handle: async (context, { query }) => {
      const agent = await requireAgent(context, {
        agentId: query.agentId,
        owner: context.owner,
      })
      return readMemory(context, { agent })
    },
  }),

  route({
    name: 'memory.write',
    method: 'POST',
    path: '/api/memory',
    summary: 'Write notes to the memory of an agent',
    description: 'Null deletes a note.',
    tag: 'memory',
    guard: 'session',
    body: memoryChange,
    response: memoryChanged,
    errors: ['bad-request', 'unauthorized', 'not-found'],
    codes: ['MEMORY_FULL'],
    notAudited: 'changes an agent’s memory, not money, access or credentials',
    handle: async (context, { body: { agentId, ...change } }) => {
      const agent = await requireAgent(context, { agentId, owner: context.owner })
      const notes = notesOf(change)
      await pushNow(context, { agent: await writeNotes(context, { agent, notes }) })
      const saved = { success: true as const, agentId, saved: true as const }
      const { key } = change
      return key === undefined
        ? { ...saved, keysUpdated: Object.keys(notes).length }
        : { ...saved, key }
    },
  }),

  route({
    name: 'memory.delete',
    method: 'DELETE',
    path: '/api/memory',
    summary: 'Delete a note from the memory of an agent',
    description: 'Succeeds if there is no such note.',
    tag: 'memory',
    guard: 'session',
    body: memoryDeletion,
    response: memoryDeleted,
    errors: ['bad-request', 'unauthorized', 'not-found'],
    notAudited: 'changes an agent’s memory, not money, access or credentials',
    handle: async (context, { body: { agentId, key } }) => {
      const agent = await requireAgent(context, { agentId, owner: context.owner })
      const notes = { [key]: null }
      await pushNow(context, { agent: await writeNotes(context, { agent, notes }) })
      return { success: true as const, agentId, key }
    },
  }),

  route({
    name: 'skills.list',
    method: 'GET',
    path: '/api/skills',
    summary: 'List skills',
    description: 'With an agent, also shows which skills it has.',
    tag: 'skills',
    guard: 'optional-credential',
    query: skillFilter,
    response: skillAnswers.list,
    errors: ['bad-request', 'unauthorized'],
    handle: (context, { query }) => listSkills(context, query),
  }),

  route({
    name: 'skills.install',
    method: 'POST',
    path: '/api/skills',
    summary: 'Install or update a skill of an agent',
    tag: 'skills',
    guard: 'session',
    body: skillOfAgent,
    response: skillAnswers.changed,
    errors: ['bad-request', 'unauthorized', 'payment-required', 'not-found'],
    codes: ['SKILL_LIMIT_REACHED'],
    notAudited: 'changes an agent’s skills, which are free',
    handle: async (context, { body }) => {
      const agent = await installSkill(context, body)
      return {
        success: true as const,
        installed: true,
        deployed: await pushNow(context, { agent }),
      }
    },
  }),

  route({
    name: 'skills.uninstall',
    method: 'DELETE',
    path: '/api/skills',
    summary: 'Uninstall a skill of an agent',
    tag: 'skills',
    guard: 'session',
    body: skillOfAgent,
    response: skillAnswers.changed,
    errors: ['bad-request', 'unauthorized', 'not-found'],
    notAudited: 'changes an agent’s skills, which are free',
    handle: async (context, { body }) => {
      const agent = await uninstallSkill(context, body)
      const pushed = await pushNow(context, { agent })
      return { success: true as const, installed: false, deployed: isRunning(agent) && !pushed }
    },
  }),

  route({
    name: 'skills.use',
    method: 'POST',
    path: '/api/skills/:name',
    summary: 'Run a skill of an agent',
    tag: 'skills',
    guard: 'session',
    open: { kind: 'turns', most: 20, what: 'turns with agents' },
    params: skillParams,
    body: skillUse,
    response: chatAnswer(),
    idempotent: true,
    errors: turnErrors,
    codes: [...turnCodes, 'SKILL_DISABLED', 'SKILL_NOT_INSTALLED'],
    notAudited: 'a turn with an agent; its model calls are usage events',
    handle: (context, { params, body }) =>
      useSkill({ ...context, signal: context.request.signal }, { ...body, skillId: params.name }),
  }),
]

export const wire: (config: ConfigOf<'web-workspace'>) => Wiring<AgentClientServices> = agentClient
