/** The method of a request; its colour only repeats it. */
export function Method({ method }: { method: string }) {
  return (
    <span class="method" data-method={method}>
      {method === 'DELETE' ? 'DEL' : method}
    </span>
  )
}
