import type { Notice, NoticeMessage, NoticeStep } from './topic.ts'

export interface NoticeFacts {
  kind: Notice['kind']
  agentId: string
  agentName: string
  cause: string
  attempt: number
  /** How far the watchdog has gone. */
  step: NoticeStep
  /** When the incident began: with the kind it makes each notice one of its own. */
  incidentAt: string
}

/** What a repair starts the agent with, after what it is said of. */
const withWhat: Record<NoticeStep, string> = {
  detected: '',
  restart: '',
  healthy_config: ' with the last configuration that worked',
  healthy_image: ' with the last image that worked',
  crash_loop: '',
}

const sentences: Record<Notice['kind'], (facts: NoticeFacts) => string> = {
  degraded: ({ agentName, cause }) => `${agentName} is degraded: ${cause}.`,
  repair_started: ({ agentName, cause, step }) =>
    `Restarting ${agentName}${withWhat[step]}: ${cause}.`,
  repaired: ({ agentName, cause, step }) =>
    `${agentName} is running again${withWhat[step]} after: ${cause}.`,
  repair_failed: ({ agentName, cause, attempt, step }) =>
    `Repair ${attempt} of ${agentName}, a restart${withWhat[step]}, failed: ${cause}.`,
  crash_loop: ({ agentName, cause }) =>
    `${agentName} keeps failing and was stopped: ${cause}. Start, restart or repair it to try again.`,
}

/**
 * A text that users have named, for a chat message: chat services make mentions and links of some signs, and the name
 * of an agent must make neither. So those become signs that look like them.
 */
function plain(text: string): string {
  const alike: Readonly<Record<string, string>> = { '<': '‹', '>': '›', '@': '＠', '](': '] (' }
  return text.replace(/[<>@]|\]\(/g, (sign) => alike[sign] ?? '').replace(/\p{Bidi_Control}/gu, '')
}

/** A notice and the id that makes it once per incident and kind. */
export function composeNotice(facts: NoticeFacts, now: number): NoticeMessage {
  const { kind, agentId, agentName, cause, attempt, incidentAt } = facts
  const text = plain(sentences[kind]({ ...facts, cause: cause.replace(/\.$/, '') }))
  const at = new Date(now).toISOString()
  return {
    id: `${agentId}#${incidentAt}#${kind}`,
    notice: { kind, agentId, agentName, cause, attempt, at, text, content: text },
  }
}
