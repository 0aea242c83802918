import { isoOf } from '#shared/platform/times.ts'
import type { Notice, NoticeMessage, NoticeStep } from './topic.ts'

export interface NoticeFacts {
  kind: Notice['kind']
  agentId: string
  agentName: string
  cause: string
  attempt: number
  /** The watchdog's current step. */
  step: NoticeStep
  /** Start of the incident; together with the kind it identifies the notice. */
  incidentAt: string
}

/** Describes the version of the next start, as a part of a sentence about a repair. */
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
 * Replaces the characters that chat services turn into mentions and links with similar ones, so that an agent's name
 * causes neither.
 */
function plain(text: string): string {
  const alike: Readonly<Record<string, string>> = { '<': '‹', '>': '›', '@': '＠', '](': '] (' }
  return text.replace(/[<>@]|\]\(/g, (sign) => alike[sign] ?? '').replace(/\p{Bidi_Control}/gu, '')
}

/** Returns a notice with an id that is unique for each incident and kind. */
export function composeNotice(facts: NoticeFacts, now: number): NoticeMessage {
  const { kind, agentId, agentName, cause, attempt, incidentAt } = facts
  const text = plain(sentences[kind]({ ...facts, cause: cause.replace(/\.$/, '') }))
  const at = isoOf(now)
  return {
    id: `${agentId}#${incidentAt}#${kind}`,
    notice: { kind, agentId, agentName, cause, attempt, at, text, content: text },
  }
}
