import { slackText } from '../limits.ts'
import { type Marks, withMarks } from '../marks.ts'
import { inParts } from '../parts.ts'

const marks: Marks = {
  escape: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  bold: (text) => `*${text}*`,
  italic: (text) => `_${text}_`,
  strike: (text) => `~${text}~`,
  link: (text, href) =>
    /^(https?|mailto):/.test(href) ? `<${href.replaceAll('|', '%7C')}|${text}>` : text,
}

/** Returns the messages of an answer in Slack's mrkdwn. No text of an agent can mention a channel or a person. */
export function slackMessages(answer: string): string[] {
  return inParts(withMarks(answer, marks), slackText)
}

/**
 * Returns a received text as a person reads it: Slack escapes three characters, and writes links and mentions in angle
 * brackets.
 * @param bot the bot's own user; its mentions are left out
 */
export function plainText(text: string, bot: string | undefined): string {
  return text
    .replaceAll(/<([^<>]+)>/g, (_, inner: string) => {
      const [target = '', label] = inner.split('|')
      if (target === `@${bot}`) return ''
      if (/^[@#]/.test(target)) return `${target[0]}${label ?? target.slice(1)}`
      if (target.startsWith('!')) return label ?? `@${target.slice(1).split('^')[0]}`
      return label === undefined || label === target ? target : `${label} (${target})`
    })
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim()
}
