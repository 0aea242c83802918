/** Returns the first `most` items of a list that is read page by page. */
export async function take<T>(items: AsyncIterable<T>, most: number): Promise<T[]> {
  const found: T[] = []
  for await (const each of items) {
    found.push(each)
    if (found.length === most) break
  }
  return found
}
