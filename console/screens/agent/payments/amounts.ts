/** Formats US dollars with all of their decimals, at least two. @param value a decimal string */
export function exactUsd(value: string): string {
  const style = { style: 'currency', currency: 'USD', maximumFractionDigits: 6 } as const
  return Number(value).toLocaleString('en', style)
}

/** Formats USDC with all of their decimals. @param value a number or a decimal string */
export function usdc(value: number | string): string {
  return `${Number(value).toLocaleString('en', { maximumFractionDigits: 6 })} USDC`
}

/** Returns an amount of an input as the API takes it. */
export function amountIn(text = ''): string {
  return text.trim().replace(/^\$\s*/, '')
}
