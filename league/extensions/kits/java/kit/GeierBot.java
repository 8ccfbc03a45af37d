import java.lang.reflect.Method;

/**
 * Plays Raj with a class that has reset() and gibKarte(int naechsteKarte), as in frameworks for Hol's der Geier, which is
 * the same game. The class is used as it is.
 */
final class GeierBot extends Bot {
    private final Object player;
    private final Method reset;
    private final Method gibKarte;
    private final HolsDerGeier table = new HolsDerGeier();

    GeierBot(Object player) throws ReflectiveOperationException {
        this.player = player;
        try {
            reset = player.getClass().getMethod("reset");
            gibKarte = player.getClass().getMethod("gibKarte", int.class);
        } catch (NoSuchMethodException problem) {
            String name = player.getClass().getName();
            throw new NoSuchMethodException(
                    "class " + name + " must extend Bot, or have public reset() and gibKarte(int)");
        }
        reset.setAccessible(true); // also if the class is not public
        gibKarte.setAccessible(true);
    }

    @Override
    public void start() {
        table.begin(seat, players);
        if (player instanceof HolsDerGeierSpieler) {
            ((HolsDerGeierSpieler) player).register(table, (seat + 1) % players);
        }
        call(reset);
    }

    @Override
    public int choose(RajView view) {
        table.show(view);
        return (Integer) call(gibKarte, view.pile[view.pile.length - 1]);
    }

    private Object call(Method method, Object... arguments) {
        try {
            return method.invoke(player, arguments);
        } catch (java.lang.reflect.InvocationTargetException problem) {
            Throwable cause = problem.getCause();
            if (cause instanceof Error) {
                throw (Error) cause;
            }
            if (cause instanceof RuntimeException) {
                throw (RuntimeException) cause;
            }
            throw new IllegalStateException(cause);
        } catch (IllegalAccessException problem) {
            throw new IllegalStateException(problem);
        }
    }
}
