import type { Approval } from '../../../clients/typescript/index.ts'

const kinds: Readonly<Record<string, string>> = {
  'broker.request': 'Request with a credential',
  'tool.call': 'Call of a tool',
  'message.send': 'Message to an agent',
  'payment.send': 'Payment',
  'channel.send': 'Message on a channel',
  'schedule.write': 'Change of a schedule',
  exec: 'Command',
}

/** Returns the kind of an action as a title. */
export function kindOf({ action }: Pick<Approval, 'action'>): string {
  return kinds[action] ?? action
}

/** The states of an approval with their names, pending first. */
export const stateNames: Readonly<Record<Approval['state'], string>> = {
  pending: 'waiting for you',
  approved: 'approved, in progress',
  done: 'approved and carried out',
  failed: 'approved, but failed',
  denied: 'denied',
  expired: 'expired',
}

/** Returns what happened to a request that no longer waits. */
export function outcomeOf({ state, result }: Pick<Approval, 'state' | 'result'>): string {
  if (state === 'approved') return 'Approved. The platform is carrying it out.'
  if (state === 'denied') return 'Denied. Nothing was sent, and the agent is told.'
  if (state === 'expired')
    return 'Expired after 24 hours without a decision. Nothing was sent, and the agent is told.'
  if (state === 'failed')
    return `Approved, but it failed: ${result !== null && 'error' in result ? result.error : 'the reason is not known'}.`
  const status = result !== null && 'status' in result ? result.status : undefined
  const answer = status === undefined ? '' : ` The response has the status ${status}.`
  return `Approved and carried out.${answer} The agent is told.`
}
