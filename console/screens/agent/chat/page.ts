import type { Message } from '../../../../clients/typescript/index.ts'

/** Messages of a conversation, oldest first, without one left out between them. */
export interface HistoryPage {
  messages: readonly Message[]
  /** Of the page before; null where nothing was said before. */
  cursor: string | null
}

/**
 * What is shown once the last messages are known anew: what was shown before them stays where they join on to it. Where
 * more was said meanwhile than a page holds they begin anew, and lead to what is between.
 * @param shown undefined where nothing is known yet
 */
export function heard(shown: HistoryPage | undefined, page: HistoryPage): HistoryPage {
  if (shown === undefined || page.cursor === null) return page
  const [first] = page.messages
  // Other conversations were all that was looked through.
  if (first === undefined) return shown
  const [oldest, newest] = [shown.messages[0], shown.messages.at(-1)]
  if (oldest === undefined || newest === undefined) return page
  if (first.id <= oldest.id || newest.id < first.id) return page
  const before = shown.messages.filter(({ id }) => id < first.id)
  return { messages: [...before, ...page.messages], cursor: shown.cursor }
}
