import { render } from 'preact'
import { startRouter } from './app/router.ts'
import { match } from './app/routes.ts'
import { Screen } from './app/screen.tsx'
import { loadSession } from './app/session.ts'
import { startTheme } from './app/theme.ts'
import { Fault } from './ui/fault.tsx'

const root = document.getElementById('app')
if (root === null) throw new Error('the page has no element #app')

startTheme()
startRouter((path) => path === '/' || match(path) !== undefined)
render(<Screen />, root)
loadSession().catch((error: unknown) => {
  render(
    <main class="bare">
      <h1>Agent Platform</h1>
      <Fault error={error} />
      <button type="button" class="button" onClick={() => location.reload()}>
        Try again
      </button>
    </main>,
    root,
  )
})
