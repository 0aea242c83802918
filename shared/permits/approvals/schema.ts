import * as z from 'zod'
import { countOf, cursorText } from '#shared/platform/fields.ts'
import { idPattern } from '#shared/platform/ids.ts'
import { approvalRows, approvalStates } from './rows.ts'

/** The maximum number of approvals of a page. */
const maxPage = 100

const result = z
  .union([
    z.object({ error: z.string() }),
    z.object({
      status: z.number().optional().describe('The HTTP status of the response'),
      body: z
        .string()
        .nullable()
        .optional()
        .describe('The response body, truncated to 24,000 bytes; null if it is not text'),
      paymentId: z.string().optional(),
    }),
  ])
  .meta({ id: 'ApprovalResult' })

export const approvalView = z
  .object({
    id: z.string(),
    agentId: z.string(),
    action: z.string(),
    summary: z.string(),
    details: z
      .object({
        target: z.record(z.string(), z.string()),
        usd: z.string().optional().describe('The amount of a payment, with 6 decimals'),
        session: z.string(),
        request: z
          .record(z.string(), z.unknown())
          .nullable()
          .optional()
          .describe('The request as it will be carried out; not in lists'),
        body: z
          .string()
          .nullable()
          .optional()
          .describe('The body of the request; null without one, or if it is not text'),
        bodyBytes: z.number().optional(),
      })
      .meta({ id: 'ApprovalDetails' }),
    state: z.enum(approvalStates),
    createdAt: z.string(),
    expiresAt: z.string(),
    decidedAt: z.string().nullable(),
    decidedBy: z.string().nullable().describe('`user:<id>`'),
    note: z.string().nullable(),
    result: result.nullable(),
  })
  .meta({ id: 'Approval' })

export type ApprovalView = z.output<typeof approvalView>

export const approvalList = z.object({ approvals: z.array(approvalView) })

export const approvalQuery = z.object({
  state: z.enum(approvalStates, `state must be one of ${approvalStates.join(', ')}`).optional(),
  agentId: z.string().min(1).max(64).optional(),
  limit: countOf('limit', 50, maxPage),
  cursor: cursorText(),
})

export type ApprovalQuery = z.output<typeof approvalQuery>

const approvalId = new RegExp(`^${idPattern(approvalRows.id)}$`)

/** Returns whether a text has the form of an approval's id. */
export function isApprovalId(text: string): boolean {
  return approvalId.test(text)
}

export const approvalParams = z.object({ id: z.string() })

export const approvalDecision = z
  .object({
    decision: z.enum(['approve', 'deny'], 'decision must be approve or deny'),
    remember: z
      .enum(['hour', 'always'], 'remember must be hour or always')
      .optional()
      .describe(
        'Remembers the decision for the same agent, action and target: for an hour, or always, by a rule of the policy',
      ),
    note: z
      .string('note must be a text')
      .trim()
      .max(1000, 'note must have at most 1000 characters')
      .optional()
      .describe('The agent is told this text'),
  })
  .meta({
    id: 'ApprovalDecision',
    examples: [{ decision: 'approve', remember: 'hour', note: 'Only this one.' }],
  })

export type ApprovalDecision = z.output<typeof approvalDecision>
