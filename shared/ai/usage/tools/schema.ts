import * as z from 'zod'

/** The maximum duration of a tool call. */
const longestMs = 86_400_000

const durationMessage = `durationMs must be from 0 to ${longestMs}`

const batchMessage = 'events must be 1 to 100 tool calls'

const toolCall = z.object({
  agentId: z.string().max(64).optional().describe('Not required with an agent’s own key'),
  kind: z.literal('tool', { error: 'kind must be tool' }),
  toolName: z
    .string({ error: 'toolName required' })
    .regex(/^[\w.:/-]{1,128}$/, 'toolName must be 1 to 128 letters, digits or . : / - _'),
  success: z.boolean({ error: 'success must be true or false' }),
  durationMs: z
    .number({ error: 'durationMs must be a number' })
    .min(0, durationMessage)
    .max(longestMs, durationMessage)
    .overwrite(Math.round),
})

export type ReportedCall = z.output<typeof toolCall>

/** One tool call, or up to 100 of them: contract.md 6. */
export const toolReport = z.union(
  [
    z.object({
      events: z
        .array(toolCall, { error: batchMessage })
        .min(1, batchMessage)
        .max(100, batchMessage),
    }),
    toolCall,
  ],
  { error: ({ input, errors }) => nearest(input, errors) },
)

/** Returns the error of the format that the caller used, because the union itself reports no detail. */
function nearest(input: unknown, errors: unknown): string | undefined {
  const [batch, single] = errors as z.core.$ZodIssue[][]
  const meant = typeof input === 'object' && input !== null && 'events' in input ? batch : single
  const [issue] = meant ?? []
  if (issue === undefined || issue.path.length < 2) return issue?.message
  return `${issue.path.join('.')}: ${issue.message}`
}

/** Returns all calls of a report. */
export function callsOf(report: z.output<typeof toolReport>): ReportedCall[] {
  return 'events' in report ? report.events : [report]
}
