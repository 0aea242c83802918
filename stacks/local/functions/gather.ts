/**
 * Gathers the messages of one turn of the event loop and posts them together, in their order: each post wakes the other
 * thread up, which takes longer than most messages do.
 * @param post sends them; called once a turn
 */
export function gather<T>(post: (messages: T[]) => void): (message: T) => void {
  let gathered: T[] = []
  const flush = () => {
    if (gathered.length === 0) return
    const messages = gathered
    gathered = []
    post(messages)
  }
  // What a thread that ends by itself says last.
  process.on('exit', flush)
  return (message) => {
    if (gathered.push(message) === 1) setImmediate(flush)
  }
}
