import type { TaskStop } from '../../platform/containers/port.ts'

/** What ECS says of a machine that was taken from under a task. */
const lostCodes: ReadonlySet<string> = new Set(['TerminationNotice', 'SpotInterruption'])

/** Whether a task ended because the machine under it went away. */
export function isHostLost({ code }: Pick<TaskStop, 'code'>): boolean {
  return lostCodes.has(code)
}

/** What a registry says of an image that it does not have, or not for us: it will not have it later either. */
const wrongImage =
  /not found|manifest unknown|not exist|no match for platform|invalid reference|no such host|access denied|unauthorized|forbidden|no space left/i

/** What ECS says where it lacked an address, a network interface or an answer of its own. */
const hostTrouble =
  /ResourceInitializationError|network interface|\bENI\b|free ?address|capacity|time(?:d|-)? ?out|deadline exceeded|InternalError|RequestLimitExceeded|rate exceeded|throttl|try again/i

/**
 * Whether ECS took a task and could not start it for reasons of its own: what it lacks may be there in a while. An image
 * that does not exist, or a command that cannot be run, is the agent's.
 */
export function isHostRefusal({ code, text }: Pick<TaskStop, 'code' | 'text'>): boolean {
  if (code !== 'TaskFailedToStart') return false
  return /CannotPull/i.test(text) ? !wrongImage.test(text) : hostTrouble.test(text)
}

/** Whether ECS took a task and then had no capacity for it. */
export function isLackOfCapacity({ code, text }: Pick<TaskStop, 'code' | 'text'>): boolean {
  return code === 'TaskFailedToStart' && /capacity is unavailable/i.test(text)
}
