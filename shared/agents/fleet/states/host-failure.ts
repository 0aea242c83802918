import type { TaskStop } from '#shared/platform/containers/port.ts'

/** The ECS stop codes of a task whose host AWS has reclaimed. */
const lostCodes: ReadonlySet<string> = new Set(['TerminationNotice', 'SpotInterruption'])

/** Returns whether a task ended because AWS reclaimed its host. */
export function isHostLost({ code }: Pick<TaskStop, 'code'>): boolean {
  return lostCodes.has(code)
}

/** The errors of a registry for an image that does not exist or is not accessible. A retry does not help. */
const wrongImage =
  /not found|manifest unknown|not exist|no match for platform|invalid reference|no such host|access denied|unauthorized|forbidden|no space left/i

/** The errors of ECS if no address or network interface is free, or a service does not respond. */
const hostTrouble =
  /ResourceInitializationError|network interface|\bENI\b|free ?address|capacity|time(?:d|-)? ?out|deadline exceeded|InternalError|RequestLimitExceeded|rate exceeded|throttl|try again/i

/**
 * Returns whether ECS accepted a task and could not start it for its own reasons, so that a retry can help. A missing
 * image or an invalid command is the agent's fault.
 */
export function isHostRefusal({ code, text }: Pick<TaskStop, 'code' | 'text'>): boolean {
  if (code !== 'TaskFailedToStart') return false
  return /CannotPull/i.test(text) ? !wrongImage.test(text) : hostTrouble.test(text)
}

/** Returns whether ECS accepted a task and then had no capacity for it. */
export function isLackOfCapacity({ code, text }: Pick<TaskStop, 'code' | 'text'>): boolean {
  return code === 'TaskFailedToStart' && /capacity is unavailable/i.test(text)
}
