interface Line {
  seq: number
  previous: string
  hash: string
}

/** Returns a user's whole audit from its route. */
export async function linesOfAudit(url: string, headers: Record<string, string>): Promise<Line[]> {
  const lines: Line[] = []
  for (;;) {
    const answer = await fetch(`${url}?since=${lines.length}`, { headers })
    const text = await answer.text()
    if (text === '') return lines
    lines.push(
      ...text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line),
    )
  }
}
