/** What this tab remembers of a conversation over a reload: what was being written, and what was sent without a word since. */
interface Notes {
  draft?: string
  sent?: { question: string; known: string[] }
}

export interface Notebook {
  read(): Notes
  note(change: Notes): void
}

/** @param about names the conversation */
export function notebook(about: string): Notebook {
  const key = `chat ${about}`
  const read = () => JSON.parse(sessionStorage.getItem(key) ?? '{}') as Notes
  return {
    read,
    note(change) {
      const notes = { ...read(), ...change }
      if (!notes.draft && notes.sent === undefined) sessionStorage.removeItem(key)
      else sessionStorage.setItem(key, JSON.stringify(notes))
    },
  }
}
