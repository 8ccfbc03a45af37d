// ABOUT

/** Any legal move, at random. */
public class CLASS extends Bot {
    @Override
    public int choose(VIEW view) {
        // Your turn: return one of view.legal. Everything you know is in the view: see above, and kit/VIEW.java.
        return view.legal[random.nextInt(view.legal.length)];
    }
}
