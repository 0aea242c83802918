import { buildRouteMap } from '@stricli/core'
import type { Approval } from '../../typescript/index.ts'
import { agentId } from '../agent.ts'
import { command, flag } from '../command.ts'

/** The maximum number of approvals of a list. */
const maxListed = 100

const note = flag.text('A text for the agent')

const remember = flag.text('Remember the decision: hour, or always (adds a rule to the policy)')

/** Returns a command that decides an approval. */
const decide = (decision: 'approve' | 'deny', brief: string) =>
  command({ brief, args: ['approval'], flags: { remember, note } }, async (cli, flags, id) => {
    const body = { decision, remember: flags.remember, note: flags.note }
    const approval = await cli.ask<Approval>(flags, 'POST /api/approvals/{id}', {
      params: { id },
      body,
    })
    cli.show(flags, approval, () => String(approval.state))
  })

/** Returns the lines that show an approval: its summary, its state, then the request as it will be sent. */
function linesOf({ summary, details, ...approval }: Approval): string[] {
  const { request, body, bodyBytes = 0, usd, session } = details
  const { state, agentId: agent, createdAt, expiresAt, decidedBy, note: text, result } = approval
  const raw = request === undefined ? [] : ['', JSON.stringify(request, null, 2)]
  const shown = body ?? (bodyBytes > 0 ? `${bodyBytes} bytes that are not text` : undefined)
  return [
    summary,
    ...(usd === undefined ? [] : [`amount: ${usd} USD`]),
    `state: ${state}`,
    `agent: ${agent}, session ${session}`,
    `asked: ${createdAt}`,
    ...(state === 'pending' ? [`expires: ${expiresAt}`] : []),
    ...(decidedBy === null ? [] : [`decided by: ${decidedBy}`]),
    ...(text === null ? [] : [`note: ${text}`]),
    ...(result === null ? [] : [`result: ${JSON.stringify(result)}`]),
    ...raw,
    ...(shown === undefined ? [] : ['', shown]),
  ]
}

export const approvals = buildRouteMap({
  docs: { brief: 'Approve or deny what your agents ask for' },
  routes: {
    ls: command(
      {
        brief: 'List approvals, newest first',
        flags: {
          agent: flag.text('Only of this agent'),
          state: flag.text('pending, approved, denied, expired, done or failed'),
        },
      },
      async (cli, { agent, state, ...flags }) => {
        const id = agent === undefined ? undefined : await agentId(cli, flags, agent)
        const platform = await cli.platform(flags)
        const query = {
          agentId: id,
          state: state as Approval['state'] | undefined,
          limit: maxListed,
        }
        const found: Approval[] = []
        for await (const approval of platform.approvals.list(query)) {
          found.push(approval)
          if (found.length === maxListed) break
        }
        cli.list(flags, found, ['id', 'state', 'agentId', 'summary', 'expiresAt'])
      },
    ),
    show: command(
      { brief: 'Show an approval with its request', args: ['approval'] },
      async (cli, flags, id) => {
        const params = { id }
        const approval = await cli.ask<Approval>(flags, 'GET /api/approvals/{id}', { params })
        if (flags.json) cli.json(approval)
        else cli.out(linesOf(approval).join('\n'))
      },
    ),
    approve: decide('approve', 'Approve a request: it is carried out once'),
    deny: decide('deny', 'Deny a request: it is not carried out'),
  },
})
