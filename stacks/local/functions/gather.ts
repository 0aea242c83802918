/**
 * Batches the messages of one turn of the event loop and posts them together, in order. Each post wakes the other thread,
 * which takes longer than most messages.
 * @param post sends a batch; called at most once a turn
 */
export function batchPerTurn<T>(post: (messages: T[]) => void): (message: T) => void {
  let gathered: T[] = []
  const flush = () => {
    if (gathered.length === 0) return
    const messages = gathered
    gathered = []
    post(messages)
  }
  // Send the last messages of a thread that exits by itself.
  process.on('exit', flush)
  return (message) => {
    if (gathered.push(message) === 1) setImmediate(flush)
  }
}
