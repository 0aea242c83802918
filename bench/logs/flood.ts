/** Prints FLOOD_LINES numbered lines at a steady rate of FLOOD_RATE per second. */
const total = Number(process.env.FLOOD_LINES)
const perTick = Number(process.env.FLOOD_RATE) / 100

let printed = 0
const timer = setInterval(() => {
  let text = ''
  for (let i = 0; i < perTick && printed < total; i++)
    text += `${++printed} a line of the usual length, as services print it\n`
  process.stdout.write(text)
  // The process keeps running, as an agent does.
  if (printed >= total) clearInterval(timer)
}, 10)
setInterval(() => {}, 60_000)
