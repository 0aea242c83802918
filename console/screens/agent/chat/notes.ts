/** The data of a conversation that this tab keeps across a reload: the draft, and a message without an answer. */
interface Notes {
  draft?: string
  sent?: { question: string; known: string[] }
}

export interface Notebook {
  read(): Notes
  note(change: Notes): void
}

/** @param about the name of the conversation */
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
