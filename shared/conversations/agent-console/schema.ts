import * as z from 'zod'
import { agentStatuses } from '#shared/agents/record/agent.ts'
import {
  credentialKey,
  credentialList,
  credentialValue,
} from '#shared/agents/record/credentials/schema.ts'
import { memoryAnswer } from '#shared/agents/workspace/memory/schema.ts'
import {
  sessionDetail,
  sessionIdText,
  sessionList,
} from '#shared/agents/workspace/sessions/schema.ts'
import { skillAnswers, skillOfAgent } from '#shared/agents/workspace/skills/schema.ts'
import { chatRequest } from '../chat/schema.ts'

/** The questions about an agent: contract.md 10. */
const questions = ['health', 'sessions', 'session', 'memory', 'skills', 'credentials'] as const

/** The agent; default: the user's newest running agent. */
const agentId = chatRequest().shape.agentId

export const agentQuestion = z
  .object({
    action: z.enum(questions, `action must be one of ${questions.join(', ')}`).optional(),
    agentId,
    sessionId: sessionIdText.optional(),
  })
  .refine(({ action, sessionId }) => action !== 'session' || sessionId !== undefined, {
    error: 'sessionId required',
    path: ['sessionId'],
  })

export type AgentQuestion = z.output<typeof agentQuestion>

const actions = ['chat', 'create-session', 'update-skill', 'set-credential'] as const

export const agentAction = z
  .discriminatedUnion(
    'action',
    [
      z.object({
        action: z.literal('chat'),
        agentId,
        message: chatRequest().shape.message,
        sessionId: sessionIdText.optional(),
      }),
      z.object({ action: z.literal('create-session'), agentId }),
      z.object({
        action: z.literal('update-skill'),
        agentId,
        skillId: skillOfAgent.shape.skillId,
        enabled: z.boolean('enabled must be true or false'),
      }),
      z.object({
        action: z.literal('set-credential'),
        agentId,
        key: credentialKey,
        value: credentialValue,
      }),
    ],
    `action must be one of ${actions.join(', ')}`,
  )
  .meta({ id: 'AgentAction' })

export type AgentAction = z.output<typeof agentAction>

const overview = z.object({
  agent: z.object({
    id: z.string(),
    name: z.string(),
    model: z.string(),
    plan: z.string(),
    status: z.enum(agentStatuses),
    createdAt: z.string(),
  }),
  actions: z.object({ GET: z.array(z.string()), POST: z.array(z.string()) }),
})

const health = z.object({
  agentId: z.string(),
  status: z.enum(agentStatuses),
  healthy: z.boolean(),
  failing: z.array(z.string()),
  uptimeMs: z.number().nullable(),
  error: z.string().nullable(),
})

const skills = z.object({ skills: z.array(skillAnswers.installed), count: z.number() })

/** The responses to all questions. No two have the same required fields, so only one matches. */
export const agentAnswer = z
  .union([overview, health, memoryAnswer, skills, credentialList, sessionList, sessionDetail])
  .meta({ id: 'AgentAnswer' })

export const actionAnswer = z
  .union([
    z.object({ sessionId: z.string(), reply: z.string(), timestamp: z.string() }),
    z.object({ sessionId: z.string(), status: z.literal('created') }),
    z.object({
      success: z.literal(true),
      skillId: z.string(),
      enabled: z.boolean(),
      deployed: z.boolean(),
    }),
    z.object({ success: z.literal(true), key: z.string(), saved: z.boolean() }),
  ])
  .meta({ id: 'AgentActionAnswer' })

export const possibleActions = { GET: [...questions], POST: [...actions] }
