// Runs in the page, as one expression.
;(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const luminance = ([r, g, b]) => {
    const [red, green, blue] = [r, g, b].map((v) =>
      v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const painted = (layers) => {
    for (const colour of layers) {
      canvas.fillStyle = colour
      canvas.fillRect(0, 0, 1, 1)
    }
    return luminance(canvas.getImageData(0, 0, 1, 1).data)
  }
  const ratios = [...document.querySelectorAll('.marked .mark, .tip p')].map((mark) => {
    const grounds = [document.body, mark.parentElement, mark].map((each) => getComputedStyle(each).backgroundColor)
    const [one, other] = [painted(grounds), painted([...grounds, getComputedStyle(mark).color])]
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
  })
  return Math.min(...ratios)
})()
